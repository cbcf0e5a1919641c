"""A function object created at every call, and compiled each time.

JAX remembers programs by the identity of the function: a `lambda`, a
`functools.partial` or a closure created at every call is a new function, and compiles again. The function may come from
another module, a class or a library: only a run shows it. Findings of `local-loop-function` and `local-jit` are
reported under their names.

Before:
    import jax
    import jax.numpy as jnp

    def decay_by(rate):
        return lambda state, x: (state * rate + x, state)

    rates, xs = jnp.linspace(0.1, 0.5, 5), jnp.ones(3)
    for rate in rates:
        print(jax.lax.scan(decay_by(rate), 0.0, xs)[0])

After:
    import jax
    import jax.numpy as jnp

    def decay(state, x):
        value, rate = state
        return (value * rate + x, rate), value

    rates, xs = jnp.linspace(0.1, 0.5, 5), jnp.ones(3)
    for rate in rates:
        print(jax.lax.scan(decay, (0.0, rate), xs)[0][0])

Safety: report only. The place that creates the function is not yet followed through other files.

Evidence: the compiles of the traced run.

Source: https://github.com/patrick-kidger/equinox/issues/307
"""

import ast
import re
from collections.abc import Iterator

from jaxfix.api import (
    Cause,
    Code,
    Codemod,
    Compiled,
    Equality,
    Finding,
    Module,
    Reason,
    Safety,
    Why,
    recompiled,
)

_FUNCTION = re.compile(r"<(bound method|function|built-in|.* object at 0x)|<lambda>|\bpartial\(|\bPartial\(")


def find(module: Module) -> Iterator[Finding]:
    for at, entry, cause in recompiled(module, Why.FUNCTION, Why.CONSTANT, Why.STATIC):
        if cause.why is not Why.STATIC or _is_of_functions(cause):
            yield _finding(at, entry, cause)


def _is_of_functions(cause: Cause) -> bool:
    return all(_FUNCTION.search(said or "") for said in (cause.before, cause.after))


def _finding(at: ast.AST, entry: Compiled, cause: Cause) -> Finding:
    captured = f"`{cause.name}`" if cause.why is Why.CONSTANT and cause.name else None
    what = f"`{cause.name}`" if cause.name and not captured else "a function"
    message = f"{what} is a new object at every call: `{entry.program}` compiles again each time"
    title = f"Create {what if cause.name else 'the function'} once, outside the code that runs repeatedly"
    if captured:
        message = f"every call captures a new {captured} in a function: `{entry.program}` compiles again each time"
        title = f"Create the function once, and pass {captured} as an argument"
    return Finding(
        at=at,
        message=message,
        title=title,
        declined=Reason(Code.SEEN_ONLY, "the line that makes it is unknown"),
    )


CODEMOD = Codemod(
    id="fresh-function",
    triggers=(),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.FUNCTION, Why.CONSTANT, Why.STATIC),
)
