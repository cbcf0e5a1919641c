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

from jaxfix.api import Cause, Codemod, Compiled, Equality, Finding, Module, Safety, Why


def find(module: Module) -> Iterator[Finding]:
    for at, entry, cause in module.recompiled(Why.WEAK_TYPE, Why.DTYPE):
        yield _finding(at, entry, cause)


def _finding(at: ast.AST, entry: Compiled, cause: Cause) -> Finding:
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
    triggers=(),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.WEAK_TYPE, Why.DTYPE),
)
