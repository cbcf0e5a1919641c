"""A value of a jitted step that the host waits for in every iteration.

JAX dispatches a step asynchronously: the host could prepare the next one. `float(loss)`, `loss.item()` and
`np.asarray(loss)` block until the step has ended, so that the device idles while the host works, and the host while the
device works. The arrays are collected instead, and fetched by one `jax.device_get` after the loop, or where the code
reads them every n steps.

Before:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def train_step(weights, batch):
        loss, slope = jax.value_and_grad(lambda w: jnp.mean((batch @ w) ** 2))(weights)
        return weights - 0.1 * slope, loss

    def train(weights, batches):
        losses = []
        for batch in batches:
            weights, loss = train_step(weights, batch)
            losses.append(float(loss))
        return weights, losses

    print(train(jnp.ones(3), jnp.ones((8, 4, 3)))[1])

After:
    import jax
    import jax.numpy as jnp

    @jax.jit
    def train_step(weights, batch):
        loss, slope = jax.value_and_grad(lambda w: jnp.mean((batch @ w) ** 2))(weights)
        return weights - 0.1 * slope, loss

    def train(weights, batches):
        losses = []
        losses_on_device = []
        for batch in batches:
            weights, loss = train_step(weights, batch)
            losses_on_device.append(loss)
        losses.extend(float(loss) for loss in jax.device_get(losses_on_device))
        return weights, losses

    print(train(jnp.ones(3), jnp.ones((8, 4, 3)))[1])

Safety: needs a rerun. What is done with a value is done later with the same value, in the same order: a sum of
`loss.item()` stays a sum of Python floats, in double precision, and never becomes one on the device. Declined is
whatever needs the value at once or would see that it is late: a comparison, a `break`, the best so far, a progress bar,
a print or a log in each iteration, a clock in the loop; a list that the loop reads, that other code may see, or that is
read after an error. So is an array that may be donated to the next step, and one that is not known to be a single
number, of which as many would stay on the device as there are iterations; a step that another file replaces; and one
whose program runs code of the host, as `jax.debug.print` does, or may do so by another file: what it prints, collects
or raises would be late. An `if` of the loop that asks `step % n` may read the list: what was collected is fetched
there.
In a cell of a notebook, people stop the loop and look at the list, so that variables of cells are left alone.

Evidence: fewer blocking reads, counted; equal results, no more compiles, and less than a tenth more memory. What
`jax.device_get` brings at once is one read. No step on a CPU is promised to be faster: there host and device are one.

Source: https://docs.jax.dev/en/latest/async_dispatch.html
"""

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from jaxfix.api import Codemod, Confidence, Declined, Equality, Finding, Module, Proves, Safety, Staging, Work
from jaxfix_codemods.host_sync.deferring import Deferred, deferred_of
from jaxfix_codemods.host_sync.loops import check_loop, check_waits
from jaxfix_codemods.host_sync.reads import Read, reads_by_loop
from jaxfix_codemods.host_sync.writing import write

_TITLE = "Fetch the values after the loop"
_LATER = "Fetch the value where it is shown"


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    staging = module.get(Staging)
    for loop, reads in reads_by_loop(module):
        if not staging.is_staged(loop) and not staging.is_seldom(reads[0].at):
            yield _finding(module, loop, reads)


def _finding(module: Module, loop: ast.For, reads: Sequence[Read]) -> Finding:
    first, staging = reads[0], module.get(Staging)
    is_sure = staging.is_eager(loop) and staging.surely_repeats(module.statement(first.at))
    shown = " ".join(module.text(first.at).split())
    found = partial(
        Finding,
        at=first.at,
        message=f"`{shown}` waits for the step in each iteration, before the next one starts",
        confidence=Confidence.CERTAIN if is_sure else Confidence.POSSIBLE,
        guess=True,
    )
    try:
        deferred = _deferred(module, loop, reads)
    except Declined as declined:
        return found(title=_TITLE, declined=declined.reason, moot=True)
    title = _LATER if all(each.moves_to is not None for each in deferred) else _TITLE
    return found(title=title, recipe=partial(write, module, loop, deferred))


def _deferred(module: Module, loop: ast.For, reads: Sequence[Read]) -> tuple[Deferred, ...]:
    """What is done with the values, one for each statement that reads some.

    Raises:
      Declined: something needs a value at once.
    """
    check_loop(module, loop)
    statements = dict.fromkeys(module.statement(read.at) for read in reads)
    found = tuple(
        deferred_of(module, loop, statement, [read for read in reads if module.statement(read.at) is statement])
        for statement in statements
    )
    check_waits(module, loop, found)
    return found


CODEMOD = Codemod(
    id="host-sync",
    triggers=("jax",),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    proves=Proves.FEWER_READS,
    relieves=(Work.TRANSFER,),
)
