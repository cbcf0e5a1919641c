"""A `jax.jit` created inside a function or loop: it recompiles every time.

JAX keeps compiled programs under the identity of the function inside the jit. A `lambda`, a local `def`, a
`functools.partial`, a bound method or the result of `jax.grad` or `jax.vmap` is a new function each time, so that
`jax.jit(lambda ...)` in a function compiles at every call of it. Created once, it compiles once. Captured variables
become further arguments. A jit of the same function object, as in `jax.jit(step)(x)`, hits the cache and is not a
finding; nor is `equinox.filter_jit` of a bound method or of what its own transformations return.

Arguments bound by a `partial` of a function of the file are passed at the calls instead: `jax.jit(partial(f, k))`
becomes `jax.jit(f)`, which hits the cache.

A jit in a loop of a function that reads a model or parameters which the loop updates compiles in every iteration: it
is created once, before the loop, and takes them as its first argument, under `equinox.filter_jit` where a model is
called. Solvers and terms of equations whose programs are cached by function, such as `optimistix.root_find` and
`diffrax.ODETerm`, compile again for each new one. So do solvers that cache their programs themselves, such as those of
`jaxopt`, and functions with an optax optimizer as a static argument: an object created in every iteration from the same
arguments is created once, before the loop.

A factory of jitted functions, such as `make_step(optimizer)`, compiles again each time a loop calls it: the call moves
before the loop. A call with a loop variable, as in `make_step(size)` for several sizes, makes different programs on
purpose and is not a finding, unless its argument is data, which the jitted function should take. A factory in another
file is only reported: what it reads is unknown.

Before:
    import jax

    def train(params, batches, rate):
        for batch in batches:
            step = jax.jit(lambda p: p - rate * (p - batch))
            params = step(params)
        return params

After:
    import jax

    _train_step = jax.jit(lambda p, rate, batch: p - rate * (p - batch))


    def train(params, batches, rate):
        for batch in batches:
            params = _train_step(params, rate, batch)
        return params

Safety: a function that captures nothing, and reads nothing that can be rebound, is the same program wherever it is
created: safe. Exceptions need a rerun (docs/safety.md): static arguments and other arguments that are not arrays,
which are compared by `==` (where `1` equals `True`, and an object equals itself whatever it holds by now); options
and annotations that may fail at import; settings outside of JAX's cache key, which `jax.random` reads; warnings;
donation; constants that may be deleted; a jit defined under a condition; and modules that another file holds as a
whole.

A function that reads a variable which the loop rebinds (`batch` above, or the `params` of a training loop) would
silently keep the first value if it were moved unchanged. It gets that variable as an argument instead, and only if it
treats it as an array. Conversely, a jit that is called more than once keeps the values of its first call: if they
change in between, it is left alone. Declined too: captured names that are called or used as a length, an axis or a
condition; bound methods, which read their object at each trace; side effects at trace time; and functions under
`vmap`, which would map over further arguments. A jit that is returned, stored or passed on is a factory on purpose. A
jit for a loop that prints or logs, in a function that nothing repeats, is compiled once per run, and is reported only
if a run shows its cost.

A factory moved before the loop is also called if the loop has no iterations. Unless the code shows an iteration
(`range(10)`), it must do nothing but create the function, from arguments that are available (`options[0]` may not
be). What it is made of, and what its functions read, must stay unchanged while the loop runs; otherwise the call
stays, as it does with objects as static arguments.

Evidence: fewer compiles, bitwise equal outputs.

Source: https://docs.jax.dev/en/latest/jit-compilation.html#jit-and-caching
"""

import ast
from collections.abc import Callable, Iterator
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Identifiers,
    Module,
    Reason,
    Safety,
    Staging,
    Why,
    walk,
)
from jaxfix.api.analysis import LocalUses, hoisting
from jaxfix.api.library import HOLDING
from jaxfix_codemods.callers import is_traced_alone
from jaxfix_codemods.local_jit import constructors, factories, states
from jaxfix_codemods.local_jit.driving import serves_a_run
from jaxfix_codemods.local_jit.judging import is_made_for_each, varies_by_design
from jaxfix_codemods.local_jit.partials import Unapplied, apply_at_the_call, unapplied
from jaxfix_codemods.local_jit.rewriting import rewrite
from jaxfix_codemods.local_jit.sharing import Sharing
from jaxfix_codemods.local_jit.sites import Site, sites, surely_repeats

_TRANSFORMATIONS = ("jax.jit", "jax.pmap", "jax.experimental.pjit.pjit", "equinox.filter_jit", "flax.nnx.jit")
_TAKERS = (*_TRANSFORMATIONS, *HOLDING)
_LAST_PARTS = frozenset(name.rpartition(".")[2] for name in _TAKERS)


def find(module: Module) -> Iterator[Finding]:
    if module.get(Identifiers).mentions_any(_LAST_PARTS):
        yield from _made_here(module)
    for call, uses in factories.made_elsewhere(module):
        name = module.text(call.func)
        yield _of_factory(module, call, uses)(
            declined=Reason(Code.UNREAD, f"`{name}` reads and changes things in another file")
        )


def _made_here(module: Module) -> Iterator[Finding]:
    every = list(sites(module))
    sharing = Sharing(module, every)
    for site in every:
        applied = unapplied(module, site)
        if applied is not None or not varies_by_design(module, site):
            yield _finding(module, site, sharing, applied)
        elif (advanced := states.advanced(module, site)) is not None:
            yield _of_state(module, site, advanced)
    yield from constructors.findings(module)
    for made in factories.made_in_loops(module):
        found = _of_factory(module, made.call, made.stay)
        try:
            yield found(recipe=partial(factories.move, module, factories.judge(module, made)))
        except Declined as declined:
            yield found(declined=declined.reason)


def _of_factory(module: Module, call: ast.Call, uses: LocalUses) -> Callable[..., Finding]:
    name = module.text(call.func)
    return partial(
        Finding,
        at=call,
        message=f"`{name}` creates a jitted function in every iteration of the loop: it compiles again each time",
        title=f"Call `{name}` once, before the loop",
        confidence=Confidence.CERTAIN if factories.surely_repeats(module, call, uses) else Confidence.POSSIBLE,
        safety=Safety.NEEDS_EVIDENCE,
    )


def _finding(module: Module, site: Site, sharing: Sharing, applied: Unapplied | None) -> Finding:
    found = partial(
        Finding,
        at=site.at,
        message=_message(module, site),
        confidence=_confidence(module, site),
    )
    title = f"Create {_what(module, site)} once"
    if applied is not None:
        return found(title=applied.title, recipe=partial(apply_at_the_call, applied), safety=Safety.NEEDS_EVIDENCE)
    is_possible = _confidence(module, site) is Confidence.POSSIBLE
    once = is_possible and (serves_a_run(module, site) or is_traced_alone(module, site.made))
    try:
        plan = sharing.plan(site)
    except Declined as declined:
        moot = is_possible and declined.reason.code is Code.NO_ARRAY and _is_of_its_own(module, site)
        return found(title=title, declined=declined.reason, moot=moot or once)
    plain = plan.in_module and not plan.lifted and not plan.is_doubted
    safety = Safety.SAFE if plain else Safety.NEEDS_EVIDENCE
    return found(title=title, recipe=partial(rewrite, module, plan), safety=safety, moot=once)


def _is_of_its_own(module: Module, site: Site) -> bool:
    """Whether each call of the function around may make another program, of what it is given and no array stands for.

    Not where a loop of the file calls it repeatedly, and what is called in the program comes from outside.
    """
    around = module.function(site.made)
    if site.function is None or around is None or not module.get(Staging).round_about(site.made):
        return True
    given = {argument.arg for argument in (*around.args.posonlyargs, *around.args.args, *around.args.kwonlyargs)}
    called = {_root(call.func) for call in walk(site.function) if isinstance(call, ast.Call)}
    return not given.isdisjoint(called.intersection(hoisting.free_names(module, site.function)))


def _root(expr: ast.expr) -> str | None:
    while isinstance(expr, ast.Attribute):
        expr = expr.value
    return expr.id if isinstance(expr, ast.Name) else None


def _of_state(module: Module, site: Site, advanced: states.Advanced) -> Finding:
    name = advanced.states[0]
    found = partial(
        Finding,
        at=site.at,
        message=f"{_what(module, site)} reads `{name}`, which differs in every iteration: it compiles again each time",
        title=f"Create {_what(module, site)} once, and pass it `{name}`",
        confidence=_confidence(module, site),
    )
    try:
        plan = states.judge(module, site, advanced)
    except Declined as declined:
        return found(declined=declined.reason)
    return found(recipe=partial(states.rewrite, module, plan), safety=Safety.NEEDS_EVIDENCE)


def _confidence(module: Module, site: Site) -> Confidence:
    if not surely_repeats(module, site) or is_made_for_each(module, site):
        return Confidence.POSSIBLE
    return Confidence.CERTAIN


def _message(module: Module, site: Site) -> str:
    again = f"is created {_when(module, site)}"
    if site.taker is None:
        return f"{_what(module, site)} {again}: it compiles again each time"
    return f"{_what(module, site)} {again}: `{module.text(site.taker.func)}` keeps it and compiles again each time"


def _what(module: Module, site: Site) -> str:
    name = site.by.rpartition(".")[2]
    if site.function is not None:
        return f"`{site.function.name}` under `{name}`"
    of = f"the `{name}` of " if site.taker is None else ""
    if isinstance(site.inner, ast.Lambda):
        return f"{of}{'a' if of else 'the'} lambda"
    first, *more = module.text(site.inner).splitlines()
    return f"{of}`{first}{' ...' if more else ''}`"


def _when(module: Module, site: Site) -> str:
    if module.loops(site.made):
        return "in every iteration of the loop"
    return f"at every call of `{module.path(site.taker or site.at).rpartition('<locals>.')[2]}`"


CODEMOD = Codemod(
    id="local-jit",
    triggers=("for", "while", *_TAKERS),
    safety=Safety.SAFE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.FUNCTION, Why.CONSTANT),
)
