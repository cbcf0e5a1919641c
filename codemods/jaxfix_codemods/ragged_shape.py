"""An array whose shape keeps changing.

A program is compiled for the shapes of its arguments. Batches of varying length, a growing buffer, a boolean mask: each
new shape is a new program. Found only by a traced run, from the second new shape on: a shorter last batch is not a
finding.

Before:
    import jax
    import jax.numpy as jnp
    import numpy as np

    @jax.jit
    def total(values):
        return jnp.sum(values**2)

    for length in range(1, 6):
        print(total(np.arange(length, dtype=np.float32)))

After:
    import jax
    import jax.numpy as jnp
    import numpy as np

    @jax.jit
    def total(values):
        return jnp.sum(values**2)

    for length in range(1, 6):
        padded = np.zeros(8, np.float32)
        padded[:length] = np.arange(length, dtype=np.float32)
        print(total(padded))

Safety: report only. Padding is right if it has no influence on the result, such as zeros in a sum; a mean, a softmax
or a norm needs a mask. Lengths padded to a power of two keep both compiles and waste small.

Evidence: the compiles of the traced run.

Source: https://docs.jax.dev/en/latest/jit-compilation.html
"""

import ast
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


def find(module: Module) -> Iterator[Finding]:
    for at, entry, cause in recompiled(module, Why.SHAPE):
        yield _finding(at, entry, cause)


def _finding(at: ast.AST, entry: Compiled, cause: Cause) -> Finding:
    name = f"`{cause.name}`" if cause.name else "an argument"
    change = f", such as `{cause.before}` and then `{cause.after}`" if cause.before and cause.after else ""
    return Finding(
        at=at,
        message=f"{name} is passed with many different shapes{change}: `{entry.program}` compiles for each",
        title=f"Pad {name} to a fixed shape, and mask what is added",
        declined=Reason(Code.SEEN_ONLY, "whether padding changes the result is not known"),
    )


CODEMOD = Codemod(
    id="ragged-shape",
    triggers=(),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.SHAPE,),
)
