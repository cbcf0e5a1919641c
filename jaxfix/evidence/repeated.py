"""Whether a run that is needed anyway shows what a second run of the original would: that nothing in it is noise."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from jaxfix.evidence import effects
from jaxfix.evidence.dispatching import dispatched
from jaxfix.evidence.outputs import SILENCE, VARIABLE, Noise
from jaxfix.evidence.verdict import is_of_eager, of_calls
from jaxfix.report.finding import Fix, Proves
from jaxfix.report.measurement import Measurement

_BY_MEMORY = frozenset({Proves.LESS_MEMORY, Proves.LESS_WORK, Proves.FEWER_READS})


def needs_peaks(fixes: Iterable[Fix]) -> bool:
    """Whether the peaks of two equal runs decide about some of these; calls of the originals add to a peak."""
    return any(fix.proves in _BY_MEMORY for fix in fixes)


def only_jits(fixes: Iterable[Fix]) -> bool:
    """Whether these, with the `jit` that they add taken out, dispatch what the original dispatches."""
    return all(fix.equality is not None and is_of_eager(fix.equality, fix.proves) for fix in fixes)


def is_repeated(first: Measurement, bare: Measurement, known: Noise = SILENCE) -> bool:
    """Whether a run with the added `jit` taken out did all that the first one did, program by program.

    It dispatches the same operations one by one: what a seed, a clock or the collector decides differs in it too. What
    only one of them leaves in a variable has moved to another function.

    Args:
      known: what two runs of the original differ by, where that is known.
    """
    if any(run.failure is not None or run.stopped is not None for run in (first, bare)):
        return False
    made = of_calls(bare, frozenset(bare.functions) - frozenset(first.functions))
    moved = {output.label for output in first.outputs} ^ {output.label for output in bare.outputs}
    gone = made | {label for label in moved if VARIABLE in label}
    kept = (tuple(output for output in run.outputs if output.label not in gone) for run in (first, bare))
    first, bare = (replace(run, outputs=some) for run, some in zip((first, bare), kept, strict=True))
    return effects.noise(first, bare).is_within(known) and _ran(first) == _ran(bare)


def _ran(run: Measurement) -> tuple[Counter[tuple[str, int | None]], int]:
    """What was compiled, at which step, and how many programs were dispatched."""
    return Counter((entry.program, entry.step) for entry in run.compiles), dispatched(run)
