"""A function and its gradient, computed by two calls with the same arguments.

Reverse mode computes the value before the gradient, and `jax.grad` discards it: a separate call of the function repeats
that work, and compiles it again if it is jitted. `jax.value_and_grad` returns both.

Before:
    import jax
    import jax.numpy as jnp


    def loss_fn(weights, x, y):
        return jnp.mean((x @ weights - y) ** 2)


    def train(weights, batches):
        for x, y in batches:
            loss = loss_fn(weights, x, y)
            grads = jax.grad(loss_fn)(weights, x, y)
            print(loss)
            weights = weights - 0.1 * grads
        return weights

After:
    import jax
    import jax.numpy as jnp


    def loss_fn(weights, x, y):
        return jnp.mean((x @ weights - y) ** 2)


    def train(weights, batches):
        for x, y in batches:
            loss, grads = jax.value_and_grad(loss_fn)(weights, x, y)
            print(loss)
            weights = weights - 0.1 * grads
        return weights

Safety: needs a rerun. Both calls are in one block, with the same arguments, and nothing between them binds or changes
what they read. The function then runs once instead of twice, so these are declined: functions that print, draw numbers
or count their calls; functions with a derivative rule of their own, whose forward pass may return another value; and
arguments computed by a class of the file, such as a property, which may count its reads. Methods of objects and models
of the file are followed. Functions of other files are not followed: if any file of the project defines a derivative
rule, it may be involved, and a class with a subclass in another file may count its calls. Other side effects in other
files show in the run, or not at all.

Derivatives of a few functions, such as `jnp.prod`, compute the value in another order, and one program may be fused
differently than two: a rerun that differs by a bit refuses the fix. A Python number, for which the function raises in
the value call, is an array in the combined call. An eager value beside a jitted gradient is reported and not changed,
as `jit` would round it differently. Models of `nnx` are left alone unless their class is in the file and contains
only layers that count nothing and draw no numbers; so is a `try` that continues with the value after the gradient
raised. Traced code is not reported: under one `jit`, XLA removes the duplicate itself; only a loop in the function, as
`lax.scan` makes one, runs twice.

Evidence: results equal bit for bit, and neither compiles nor the peak of memory rise; the operations of one call before
and after are given where the rewritten function can be traced.

Source: https://docs.jax.dev/en/latest/_autosummary/jax.value_and_grad.html
"""

from collections.abc import Iterator
from functools import partial

from jaxfix.api import (
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Module,
    Proves,
    Runs,
    Safety,
    Staging,
)
from jaxfix_codemods.separate_value_and_grad.checks import check
from jaxfix_codemods.separate_value_and_grad.pairs import GRADIENTS, Pair, pairs
from jaxfix_codemods.separate_value_and_grad.rewriting import join


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    staging = module.get(Staging)
    for pair in pairs(module):
        if not staging.is_staged(pair.gradient) and staging.may_repeat(pair.gradient):
            yield _finding(module, pair)


def _finding(module: Module, pair: Pair) -> Finding:
    staging = module.get(Staging)
    is_traced_too = Runs.TRACED in staging.ways(pair.gradient).known
    is_sure = staging.is_eager(pair.gradient) and staging.surely_repeats(pair.gradient) and not is_traced_too
    name = module.text(pair.derivative.function)
    found = partial(
        Finding,
        at=pair.last,
        message=f"`{name}` is computed twice for the same arguments: computing its gradient yields the value too",
        title="Take the value and the gradient from one call",
        confidence=Confidence.CERTAIN if is_sure else Confidence.POSSIBLE,
    )
    try:
        check(module, pair)
    except Declined as declined:
        return found(declined=declined.reason)
    return found(recipe=partial(join, module, pair))


CODEMOD = Codemod(
    id="separate-value-and-grad",
    triggers=tuple(sorted(GRADIENTS)),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    proves=Proves.LESS_WORK,
)
