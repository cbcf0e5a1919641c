"""A Python number that changes from call to call, in a static argument.

A static argument is part of the program: every value of it is compiled. A step
counter, a learning rate or a temperature that is passed as one costs a compile
per step, and each program stays in memory. Found by a traced run alone.

Before:
    from functools import partial

    import jax
    import jax.numpy as jnp

    @partial(jax.jit, static_argnames="count")
    def step(x, count):
        return x + 0.5 * count

    x = jnp.zeros(3)
    for count in range(5):
        x = step(x, count=count)
    print(x)

After:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(x, count):
        return x + 0.5 * count

    x = jnp.zeros(3)
    for count in range(5):
        x = step(x, count=count)
    print(x)

Safety: report only. Whether the body needs a Python number, for a shape, a
`range` or an `if`, is not judged yet. `jax.jit` takes a Python number as an
array by itself once it is not static; `equinox.filter_jit` needs
`jnp.asarray(count)` at the call.

Evidence: the compiles of the traced run.

Source: https://github.com/patrick-kidger/diffrax/issues/574
"""

import ast
from collections.abc import Iterator

from jaxfix.api import Cause, Codemod, Compiled, Equality, Finding, Module, Safety, Why


def find(module: Module) -> Iterator[Finding]:
    for at, entry, cause in module.recompiled(Why.STATIC):
        if _is_number(cause.before) and _is_number(cause.after):
            yield _finding(at, entry, cause)


def _is_number(said: str | None) -> bool:
    try:
        value = ast.literal_eval((said or "").strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return isinstance(value, int | float) and not isinstance(value, bool)


def _finding(at: ast.AST, entry: Compiled, cause: Cause) -> Finding:
    name = f"`{cause.name}`" if cause.name else "a static argument"
    return Finding(
        at=at,
        message=f"{name} is static and a new number each time: `{entry.program}` is compiled for every value of it",
        title=f"Trace {name}: take it out of the static arguments, or pass it as an array",
        declined="whether the body needs a Python number is not known",
    )


CODEMOD = Codemod(
    id="python-counter",
    triggers=(),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.STATIC,),
)
