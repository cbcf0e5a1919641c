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

Safety: needs a rerun. The same operations happen later, with the same values and in the same order: a sum of
`loss.item()` remains a sum of Python floats in double precision.

Declined is everything that needs the value at once or would notice the delay: comparisons, `break`, the best value so
far, progress bars, a print or log in each iteration, clocks in the loop; lists that the loop or other code reads, or
that are read after an error; arrays that may be donated to the next step, or that are not known to be single numbers,
as one per iteration would stay on the device; steps that another file replaces; and steps that may call back to the
host, as `jax.debug.print` does. An `if` of the loop that tests `step % n` may read the list: the collected values are
fetched there.

A progress bar that shows a value of the step in each iteration is reported: show it every so many iterations. So is a
condition on a counter in the state, such as `state.step % 100 == 0`: count on the host.
Where nothing can be left to later, four and more reads in an iteration, or a loop over the entries of a result, are
reported: one `jax.device_get` of them all waits once.

In notebooks, people interrupt a loop and look at the list, so variables of cells are left alone.

Evidence: fewer blocking reads, counted, where one `jax.device_get` is one read; equal results, no more compiles, and
less than a tenth more memory. On a CPU, host and device are the same, so a speedup is not promised there.

Source: https://docs.jax.dev/en/latest/async_dispatch.html
"""

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Module,
    Proves,
    Reason,
    Safety,
    Staging,
    Work,
    walk,
)
from jaxfix_codemods.host_sync.deferring import Deferred, deferred_of
from jaxfix_codemods.host_sync.loops import check_loop, check_waits
from jaxfix_codemods.host_sync.reads import Read, reads_by_loop
from jaxfix_codemods.host_sync.shown import Shown, counted_by, shown_by
from jaxfix_codemods.host_sync.writing import write

_TITLE = "Fetch the values after the loop"
_LATER = "Fetch the value where it is shown"
_AT_ONCE = "Fetch the values together"
_MANY = 4
"""Reads in an iteration from which on it is worth a line that each waits by itself, where none can be left to later."""


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    staging = module.get(Staging)
    bars = [*shown_by(module), *counted_by(module)]
    inside = {node for shown in bars for node in walk(shown.at)}
    for loop, reads in reads_by_loop(module):
        if not staging.is_staged(loop) and not staging.is_seldom(reads[0].at):
            found = _finding(module, loop, reads)
            if not (found.moot and reads[0].at in inside):
                yield found
    for shown in bars:
        yield _of_shown(module, shown)


def _finding(module: Module, loop: ast.For, reads: Sequence[Read]) -> Finding:
    first, staging = reads[0], module.get(Staging)
    is_sure = staging.is_eager(loop) and staging.surely_repeats(module.statement(first.at))
    shown = " ".join(module.text(first.at).split())
    waits = f"`{shown}` waits for the step in each iteration, before the next one starts"
    confidence = Confidence.CERTAIN if is_sure else Confidence.POSSIBLE
    found = partial(Finding, at=first.at, confidence=confidence, guess=True)
    try:
        deferred = _deferred(module, loop, reads)
    except Declined as declined:
        if not _are_many(module, loop, reads):
            return found(message=waits, title=_TITLE, declined=declined.reason, moot=True)
        each = f"`{shown}` and other reads wait for the device one by one, in each iteration"
        return found(message=each, title=_AT_ONCE, declined=_by_hand(declined.reason))
    title = _LATER if all(each.moves_to is not None for each in deferred) else _TITLE
    return found(message=waits, title=title, recipe=partial(write, module, loop, deferred))


def _of_shown(module: Module, shown: Shown) -> Finding:
    """A progress bar, or a counter in a state: what it shows, or what counts instead, is left to a person."""
    names = " and ".join(f"`{name}`" for name in shown.names)
    if isinstance(shown.at, ast.Call):
        what, title = f"`{module.text(shown.at.func)}` shows {names}", "Show the value every so many iterations"
        why = "what a person sees would change: show it every so many iterations, as in `if step % 50 == 0:`"
    else:
        what, title = f"the condition reads {names} from the device", "Count the iterations on the host"
        why = "it starts where the state does: count on the host from there, as in `enumerate(batches, start)`"
    staging = module.get(Staging)
    is_sure = shown.is_known and staging.is_eager(shown.at) and staging.surely_repeats(module.statement(shown.at))
    return Finding(
        at=shown.at,
        message=f"{what}: it waits for the step in each iteration",
        title=title,
        declined=Reason(Code.ON_PURPOSE, why),
        confidence=Confidence.CERTAIN if is_sure else Confidence.POSSIBLE,
        guess=True,
        certain_if="the step is jitted",
    )


def _are_many(module: Module, loop: ast.For, reads: Sequence[Read]) -> bool:
    """Whether an iteration reads several values, or all entries of one."""
    values = {module.text(read.value) for read in reads}
    return len(values) >= _MANY or any(next(iter(module.loops(read.at)), None) is not loop for read in reads)


def _by_hand(reason: Reason) -> Reason:
    why = "they are needed at once" if reason.code is Code.NEEDS_VALUE else reason.text
    return reason.restated(f"{why}: one `jax.device_get` of a tuple or a dictionary waits once")


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
