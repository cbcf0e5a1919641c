"""A last batch shorter than the others.

A program is compiled for the shapes of its arguments. Where the number of rows is not a multiple of the batch size, the
last batch of each epoch has another shape, and all jitted functions that receive it compile a second time: minutes for
a large model, to process a few rows.

So is an episode of a game: where a loop fills a list until a flag ends it, a jitted step that is given the list as an
array compiles for each length. So are the parts of `array_split`, and the last batch of a `DataLoader` of PyTorch or of
`batch` of TensorFlow's datasets. These are reported, not changed: the number of rows is not in the code.

Before:
    import jax
    import jax.numpy as jnp
    import numpy as np

    X = np.linspace(0.0, 1.0, 30, dtype=np.float32).reshape(10, 3)
    Y = X.sum(axis=1)


    @jax.jit
    def step(w, x, y):
        return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)


    w = jnp.zeros(3)
    for i in range(0, len(X), 4):
        w = step(w, X[i : i + 4], Y[i : i + 4])
    print(w.shape)

After:
    import jax
    import jax.numpy as jnp
    import numpy as np

    X = np.linspace(0.0, 1.0, 30, dtype=np.float32).reshape(10, 3)
    Y = X.sum(axis=1)


    @jax.jit
    def step(w, x, y):
        return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)


    w = jnp.zeros(3)
    for i in range(0, len(X) - 4 + 1, 4):
        w = step(w, X[i : i + 4], Y[i : i + 4])
    print(w.shape)

Safety: on request, as both fixes change results. `jaxfix apply --ragged drop` skips the last batch, which then trains
nothing. Declined: loops that predict, as results for the last rows would be missing; batches that another loop takes
from the same generator; and loops where something counts the batches, uses the size of one, or reads afterwards where
the loop ended.

`--ragged pad` repeats the last row up to the batch size and passes on a mask, by which each `mean` over an array with
rows leaves the padding out: the mean is the same up to rounding. It is for loops that call training steps of the same
file, or whose generator feeds only these steps. Declined if rows may interact in a step: in a sum, a sort, a product
over rows, a shape, or a function of another file. A batch that is cut to its longest row, as in `x[rows, :longest]`,
is taken in full width. Whether the first axis is that of the rows, and the padding has no influence, is shown by a
run: arrays of another rank, which broadcast to pairs of rows, are not masked.

Found are loops over `range(0, rows, size)` unless the code says that `size` divides `rows`, without `continue` and
`break`, and not under a trace. Where the number of rows is not in the code, and the same for the whole program, they
are reported only if one of the options is given: at most one program compiles once more.

Evidence: fewer compiles. Dropped: every result is bitwise equal to the original with an `if` that skips the shorter
batch. Padded: every result is bitwise the same with the first rows, or first columns, as padding, so the padding has
no influence, and within a tolerance of the original.

Source: https://docs.jax.dev/en/latest/jit-compilation.html
"""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Module,
    Reason,
    Recipe,
    Safety,
    Staging,
)
from jaxfix.api.analysis import Change, Offer, integer
from jaxfix_codemods.ragged_batch.changing import check_dropped, drop, masked_of, pad, skip
from jaxfix_codemods.ragged_batch.loaders import Loader, loaders
from jaxfix_codemods.ragged_batch.loops import Batches, batches
from jaxfix_codemods.ragged_batch.rollouts import Rollout, rollouts
from jaxfix_codemods.ragged_batch.steps import Step, steps
from jaxfix_codemods.ragged_batch.varying import varies


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    staging = module.get(Staging)
    for found in batches(module):
        if staging.is_staged(found.loop):
            continue
        taken = steps(module, found)
        if taken:
            yield _finding(module, found, taken)
    for rollout in rollouts(module):
        yield _of_rollout(module, rollout)
    for loader in loaders(module):
        yield _of_loader(module, loader)


def _finding(module: Module, found: Batches, taken: tuple[Step, ...]) -> Finding:
    names = " and ".join(dict.fromkeys(f"`{ast.unparse(step.call.func)}`" for step in taken))
    is_known = integer(module, found.rows) is not None and integer(module, found.size) is not None
    offers, reasons = _offers(module, found, taken)
    asks = " or ".join(f"`--ragged {offer.change.value.split()[-1]}`" for offer in offers)
    why = (
        f"a shorter batch is dropped or padded on request: {asks}"
        if offers
        else "; ".join(dict.fromkeys(map(str, reasons)))
    )
    reason = Reason(Code.ON_REQUEST, why) if offers else reasons[0].restated(why)
    divides = "does not divide" if is_known else "need not divide"
    return Finding(
        at=found.range,
        message=f"`{module.text(found.size)}` {divides} `{module.text(found.rows)}`: "
        f"{names} compile{'s' if len(taken) == 1 else ''} once more, for a last batch that is shorter",
        title="Give all batches one shape",
        declined=reason,
        confidence=Confidence.CERTAIN if is_known else Confidence.POSSIBLE,
        offers=offers,
        certain_if="the number of rows is not a multiple of the batch",
        moot=not is_known and not varies(module, found.rows, found.loop),
    )


def _of_rollout(module: Module, found: Rollout) -> Finding:
    step, line = module.text(found.call.func), found.until.lineno
    return Finding(
        at=found.given,
        message=f"`{found.filled}` is as long as the loop in line {line} runs: `{step}` compiles again for each length",
        title="Give all batches one shape",
        declined=Reason(
            Code.UNREAD,
            "its greatest length is not in the code: pad to it, and leave the padding out of each sum and mean",
        ),
        confidence=Confidence.POSSIBLE,
        certain_if="the loop does not run equally often each time",
    )


def _of_loader(module: Module, found: Loader) -> Finding:
    made, step = module.text(found.made.func), module.text(found.step.func)
    if found.option is None:
        why = "split a multiple of the parts, or pad all to the longest and leave the padding out of each sum and mean"
        what, unless = "has parts of two lengths", "the number of rows is not a multiple of the parts"
    else:
        why = f"`{found.option}=True` leaves its rows out; else pad it, and leave the padding out of each sum and mean"
        what, unless = "has a shorter last batch", "the number of rows is not a multiple of the batch"
    return Finding(
        at=found.made,
        message=f"`{made}` {what} where the rows do not divide: `{step}` compiles once more",
        title="Give all batches one shape",
        declined=Reason(Code.UNREAD, f"the number of rows is not in the code: {why}"),
        confidence=Confidence.POSSIBLE,
        certain_if=unless,
    )


def _offers(module: Module, found: Batches, taken: tuple[Step, ...]) -> tuple[tuple[Offer, ...], list[Reason]]:
    offers, reasons = list[Offer](), list[Reason]()
    for make in (_dropped, _padded):
        try:
            offers.append(make(module, found, taken))
        except Declined as declined:
            reasons.append(declined.reason)
    return tuple(offers), reasons


def _dropped(module: Module, found: Batches, taken: tuple[Step, ...]) -> Offer:
    check_dropped(module, found, taken)
    recipe, reference = partial(drop, module, found), partial(skip, module, found)
    return Offer(Change.DROP_RAGGED, "Drop a shorter last batch", recipe, reference, Equality.FEWER_ROWS)


def _padded(module: Module, found: Batches, taken: tuple[Step, ...]) -> Offer:
    masked = masked_of(module, found, taken)
    recipe: Recipe = partial(pad, module, found, masked)
    reference: Recipe = partial(pad, module, found, masked, is_wrapped=True)
    return Offer(Change.PAD_RAGGED, "Pad a shorter last batch, and mask it", recipe, reference, Equality.MASKED)


CODEMOD = Codemod(
    id="ragged-batch",
    triggers=("range", "append", "array_split", "DataLoader", "tensorflow_datasets", "tensorflow"),
    safety=Safety.ON_REQUEST,
    equality=Equality.FEWER_ROWS,
    find=find,
)
