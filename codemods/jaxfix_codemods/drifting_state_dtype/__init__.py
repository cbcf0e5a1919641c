"""A state that comes back as another type than it went in.

A leaf of the state is weakly typed, or narrower, when it is first passed, and
has another dtype or weak type after the first update: the second call compiles
the whole step again, and the state may keep a wider type than was meant. Found
by a traced run alone; initial values that show it in the code are found as
`weak-state`.

Before:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(state, gradient):
        return state * 0.9 + gradient

    state = jnp.zeros(3, jnp.bfloat16)
    for _ in range(3):
        state = step(state, jnp.ones(3, jnp.float32))
    print(state)

After:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(state, gradient):
        return state * 0.9 + gradient

    state = jnp.zeros(3, jnp.float32)
    for _ in range(3):
        state = step(state, jnp.ones(3, jnp.float32))
    print(state)

Safety: report only. A state that is made with the type that it comes back with
gives the same bits; one that is cast back after each update does not.

Evidence: the second compile of the traced run.

Source: https://docs.jax.dev/en/latest/type_promotion.html
"""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import WHOLE, Cause, Codemod, Compiled, Equality, Finding, Module, Safety, Values, Why
from jaxfix_codemods.drifting_state_dtype.casting import Declined, cast, wraps
from jaxfix_codemods.drifting_state_dtype.drift import Drift, drifts

_NAMED = 3
"""How many parts of a state a message names."""


def find(module: Module) -> Iterator[Finding]:
    values = Values(module)
    for drift in drifts(module, values):
        yield _of_drift(module, drift)
    for at, entry, cause in module.recompiled(Why.WEAK_TYPE, Why.DTYPE):
        yield _of_trace(at, entry, cause)


def _of_drift(module: Module, drift: Drift) -> Finding:
    found = partial(
        Finding,
        at=drift.call,
        message=_words(drift),
        title=f"Cast the new state of `{drift.primitive}` to the dtypes of the old one",
        equality=Equality.CURING,
    )
    try:
        wrapped = wraps(module, drift)
    except Declined as reason:
        return found(declined=str(reason))
    return found(recipe=partial(cast, module, wrapped))


def _words(drift: Drift) -> str:
    names = [f"`{key}`" if isinstance(key, str) else f"item {key}" for key in drift.keys if key != WHOLE]
    what = ", ".join(names[:_NAMED]) or "the state"
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    verb = "has" if len(names) <= 1 else "have"
    functions = " or ".join(dict.fromkeys(body.name for body in drift.bodies))
    return (
        f"{what}{more} {verb} the dtype of Python numbers at first and that of what a caller passes after {functions}: "
        f"`{drift.primitive}` raises a TypeError where the two differ"
    )


def _of_trace(at: ast.AST, entry: Compiled, cause: Cause) -> Finding:
    name = f"`{cause.name}`" if cause.name else "an argument"
    what = "dtype" if cause.why is Why.DTYPE else "weak type"
    change = f", `{cause.before}` and then `{cause.after}`" if cause.before and cause.after else ""
    return Finding(
        at=at,
        message=f"{name} comes with another {what} than before{change}: `{entry.program}` is compiled again",
        title=f"Make {name} with the type that it has after the first update",
        declined="where its first value is made is not known from this line",
    )


CODEMOD = Codemod(
    id="drifting-state-dtype",
    triggers=("jax.lax.scan", "jax.lax.while_loop", "jax.lax.fori_loop", "jax.lax.cond", "jax.lax.switch"),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.WEAK_TYPE, Why.DTYPE),
)
