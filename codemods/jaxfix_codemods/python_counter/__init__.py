"""A Python number that changes between calls and is part of the compiled program.

`equinox.filter_jit` traces arrays and treats everything else as static; a static argument of `jax.jit` is part of the
program by choice. A step counter, a learning rate or a temperature passed there as a Python number costs a compile for
every value, and each program stays in memory. As an array it is traced once. The counter itself stays a Python number:
it is wrapped at the call, or taken out of the static arguments, since `jax.jit` takes a number as an array by itself. A
plain argument of `jax.jit` or `nnx.jit` costs nothing, and is not a finding.

Before:
    from functools import partial

    import equinox as eqx
    import jax

    @eqx.filter_jit
    def make_step(params, step):
        return params - 0.1 * params / (step + 1)

    @partial(jax.jit, static_argnames=("temperature", "axis"))
    def sample(logits, temperature, axis):
        return jax.nn.softmax(logits / temperature, axis=axis)

    def train(params, logits, steps):
        for step in range(steps):
            params = make_step(params, step)
            logits = sample(logits, temperature=1.0 / (step + 1), axis=0)
        return params, logits

After:
    from functools import partial

    import equinox as eqx
    import jax
    import jax.numpy as jnp

    @eqx.filter_jit
    def make_step(params, step):
        return params - 0.1 * params / (step + 1)

    @partial(jax.jit, static_argnames=("axis",))
    def sample(logits, temperature, axis):
        return jax.nn.softmax(logits / temperature, axis=axis)

    def train(params, logits, steps):
        for step in range(steps):
            params = make_step(params, jnp.asarray(step))
            logits = sample(logits, temperature=1.0 / (step + 1), axis=0)
        return params, logits

Safety: needs a rerun. The counter itself stays a Python number: as an array, `seen[step]` and `json.dumps` would
raise, and it would silently wrap around beyond `2**31 - 1`. Inside the function a traced number can do less:
`range(step)`, `x[:step]`, `if step % 10 == 0`, `beta**step` and unknown functions are declined, and so are products
that soon exceed 32 bits. A static argument must be hashable, so there the number is not wrapped; it is removed from
`static_argnums` only if every known call passes a number. Computations with the number, such as `0.1 / (step + 1)`,
are then in single precision: only a rerun shows whether a bit differs. A counter that the function returns, as in
`state, step = make_step(state, step)`, comes back as an array: declined unless it is only compared or printed.

Evidence: fewer compiles, bitwise equal outputs.

Source: https://github.com/patrick-kidger/diffrax/issues/574
"""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import (
    Cause,
    Code,
    Codemod,
    Compiled,
    Confidence,
    Declined,
    Equality,
    Finding,
    Module,
    Reason,
    Recipe,
    Rewriter,
    Safety,
    Staging,
    Why,
    jit_of,
    jitted_of,
    recompiled,
)
from jaxfix.api.analysis import Number
from jaxfix_codemods.python_counter.counters import FILTERING, Counter, arguments, counters
from jaxfix_codemods.python_counter.judging import Unstatic, check_boundary, check_size, unstatic


def find(module: Module) -> Iterator[Finding]:
    loosened: set[tuple[ast.AST, str]] = set()
    for counter in counters(module):
        found = _finding(module, counter)
        at = _made_static(module, counter)
        if at is None or found.recipe is None or at not in loosened:
            yield found
        if at is not None and found.recipe is not None:
            loosened.add(at)
    for node, entry, cause in recompiled(module, Why.STATIC):
        if _is_number(cause.before) and _is_number(cause.after):
            yield _seen(module, node, entry, cause)


def _made_static(module: Module, counter: Counter) -> tuple[ast.AST, str] | None:
    """What one recipe for all calls takes out of the static arguments."""
    jitted = jitted_of(module, counter.call.func) if counter.is_static else None
    if jitted is None:
        return None
    names = jitted.jit.parameters or ()
    key = counter.key
    return jitted.at, names[key] if isinstance(key, int) and key < len(names) else str(key)


def _finding(module: Module, counter: Counter) -> Finding:
    shown = " ".join(module.text(counter.number).split())
    name = module.text(counter.call.func)
    how = "is static and" if counter.is_static else "is a Python number and"
    recipe, declined = _cure(module, counter)
    on_purpose = counter.is_static and recipe is None
    sure = counter.kind.surely and module.get(Staging).surely_repeats(counter.call) and not on_purpose
    return Finding(
        at=counter.call,
        message=f"`{shown}` {how} differs in each iteration: `{name}` compiles for every value of it",
        title=_title(counter, shown),
        recipe=recipe,
        declined=declined,
        confidence=Confidence.CERTAIN if sure else Confidence.POSSIBLE,
        moot=recipe is None and not sure,
    )


def _title(counter: Counter, shown: str) -> str:
    return f"Remove `{shown}` from the static arguments" if counter.is_static else f"Pass `{shown}` as an array"


def _cure(module: Module, counter: Counter) -> tuple[Recipe | None, Reason | None]:
    try:
        check_size(module, counter)
        if counter.is_static:
            return partial(_loosen, unstatic(module, counter)), None
        check_boundary(module, counter)
        return partial(_wrap, counter.number), None
    except Declined as declined:
        return None, declined.reason


def _wrap(number: ast.expr, edit: Rewriter) -> None:
    edit.wrap(number, f"{edit.imported('jax.numpy', prefer='jnp', at=number)}.asarray(", ")")


def _loosen(plan: Unstatic, edit: Rewriter) -> None:
    edit.replace(plan.holder, plan.text)


# --- what a run has seen ------------------------------------------------------------------------------------------


def _is_number(said: str | None) -> bool:
    try:
        value = ast.literal_eval((said or "").strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return isinstance(value, int | float) and not isinstance(value, bool)


def _seen(module: Module, at: ast.AST, entry: Compiled, cause: Cause) -> Finding:
    name = f"`{cause.name}`" if cause.name else "a static argument"
    counter = _blamed(module, at, cause.name)
    recipe, declined = (
        _cure(module, counter) if counter else (None, Reason(Code.SEEN_ONLY, "the argument and the call are unknown"))
    )
    return Finding(
        at=at,
        message=f"{name} is static and differs between calls: `{entry.program}` compiles for every value of it",
        title=f"Remove {name} from the static arguments, or pass it as an array",
        recipe=recipe,
        declined=declined,
    )


def _blamed(module: Module, at: ast.AST, name: str | None) -> Counter | None:
    """The argument that a run has seen change, in the call that it has seen."""
    found = jit_of(module, at.func) if isinstance(at, ast.Call) else None
    if not isinstance(at, ast.Call) or found is None or name is None:
        return None
    for key, argument in arguments(at):
        names = found.parameters or ()
        is_meant = key == name or (isinstance(key, int) and key < len(names) and names[key] == name)
        if is_meant and (found.by in FILTERING or found.is_static(key)):
            return Counter(at, found, key, argument, argument, Number(changes=True))
    return None


CODEMOD = Codemod(
    id="python-counter",
    triggers=("range", "enumerate", "itertools.count", "while", "+=", "jax.jit", "equinox.filter_jit"),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.STATIC,),
)
