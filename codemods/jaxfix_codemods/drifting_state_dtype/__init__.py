"""A state whose dtype changes from step to step.

A jitted step compiles again for the new dtype, and the state may stay wider than intended. The body of a loop or a
branch of `cond` raises a TypeError, often only for callers in half precision, or in float32 under `jax_enable_x64`: a
scalar that starts as `jnp.asarray(0.0)` has the default dtype until it is combined with the arguments.

A state that a jitted step certainly returns in full precision starts in it. The result of a body or a branch is cast to
the dtypes of its input: by the library's function where the file uses that library, else by `cast_like` of the
generated helper file, which casts floats to floats and leaves integers, random keys and Python numbers alone.

Before:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(average):
        return 0.9 * average + jnp.ones(3, jnp.float32)

    def train(steps):
        average = jnp.zeros(3, jnp.bfloat16)
        for _ in range(steps):
            average = step(average)
        return average

After:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(average):
        return 0.9 * average + jnp.ones(3, jnp.float32)

    def train(steps):
        average = jnp.zeros(3, jnp.float32)
        for _ in range(steps):
            average = step(average)
        return average

Safety: needs a rerun. A cast after each update of a training loop would silently lose updates: a bfloat16 mean with a
rate of 0.001 stays at 0.25 where it should be 0.86. So code that runs today is never cast: only the result of a body
or a branch, where JAX refuses another dtype anyway. A state that starts in half precision is not cast back to it.
Starting in full precision changes bits if the first value is not exact in half precision, or is multiplied before it
is promoted: the rerun shows that.

Evidence: for an initial state: one compile less, and the same bits. For a cast: runs that raised a TypeError now
finish, in half precision, in single precision under x64, eagerly, under jit and in a compiled loop, with the same
bits wherever the original runs.

Source: https://docs.jax.dev/en/latest/type_promotion.html
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
    Proves,
    Reason,
    Safety,
    Staging,
    Why,
    recompiled,
)
from jaxfix.api.analysis import WHOLE, Values
from jaxfix_codemods.drifting_state_dtype.casting import cast, wraps
from jaxfix_codemods.drifting_state_dtype.drift import Drift, drifts
from jaxfix_codemods.drifting_state_dtype.starts import NarrowStart, narrow_starts, widen

_NAMED = 3
"""How many parts of a state a message names."""


def find(module: Module) -> Iterator[Finding]:
    values = module.get(Values)
    for drift in drifts(module, values):
        yield _of_drift(module, drift)
    for narrow in narrow_starts(module, values):
        yield _of_start(module, narrow)
    for at, entry, cause in recompiled(module, Why.WEAK_TYPE, Why.DTYPE):
        yield _of_trace(at, entry, cause)


def _of_drift(module: Module, drift: Drift) -> Finding:
    found = partial(
        Finding,
        at=drift.call,
        message=_words(drift),
        title=f"Cast the new state of `{drift.primitive}` to the dtypes of the old one",
        equality=Equality.STRONGER_TYPES,
        proves=Proves.ERROR_CURED,
        certain_if="a caller passes another dtype",
    )
    try:
        wrapped = wraps(module, drift)
    except Declined as declined:
        return found(declined=declined.reason)
    return found(recipe=partial(cast, module, wrapped))


def _of_start(module: Module, narrow: NarrowStart) -> Finding:
    name = f"`{narrow.name}`"
    wide = f"`{narrow.dtype}`" if narrow.dtype else "a wider type"
    reason = narrow.declined
    return Finding(
        at=narrow.made_by,
        message=f"{name} starts in `{narrow.start}` and comes back from {narrow.step} in {wide}: a second compile",
        title=f"Start {name} in {wide}",
        recipe=partial(widen, module, narrow) if reason is None else None,
        declined=reason,
        confidence=Confidence.CERTAIN if module.get(Staging).surely_repeats(narrow.call) else Confidence.POSSIBLE,
        certain_if="a loop of the project updates this state",
        equality=Equality.CONVERGED,  # a loop of no iterations returns what it started from
    )


def _words(drift: Drift) -> str:
    names = [f"`{key}`" if isinstance(key, str) else f"item {key}" for key in drift.keys if key != WHOLE]
    what = ", ".join(names[:_NAMED]) or "the state"
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    functions = " or ".join(dict.fromkeys(body.name for body in drift.bodies))
    return (
        f"{what}{more} can leave {functions} with another dtype than it entered, depending on the caller: "
        f"`{drift.primitive}` then raises a TypeError"
    )


def _of_trace(at: ast.AST, entry: Compiled, cause: Cause) -> Finding:
    name = f"`{cause.name}`" if cause.name else "an argument"
    what = "dtype" if cause.why is Why.DTYPE else "weak type"
    change = f", `{cause.before}` and then `{cause.after}`" if cause.before and cause.after else ""
    return Finding(
        at=at,
        message=f"the {what} of {name} changes between calls{change}: `{entry.program}` compiles again",
        title=f"Create {name} with the type that it has after the first update",
        declined=Reason(Code.SEEN_ONLY, "the line that makes its first value is unknown"),
    )


CODEMOD = Codemod(
    id="drifting-state-dtype",
    triggers=(
        *("jax.lax.scan", "jax.lax.while_loop", "jax.lax.fori_loop", "jax.lax.cond", "jax.lax.switch"),
        *("jax.jit", "jax.pmap", "equinox.filter_jit", "flax.nnx.jit"),
    ),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.WEAK_TYPE, Why.DTYPE),
)
