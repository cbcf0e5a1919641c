"""Whether what a fix has made costs much more. Pure; work is counted, and time is the last resort."""

from collections.abc import Iterable, Sequence
from statistics import median

from jaxfix.evidence.dispatching import dispatched
from jaxfix.evidence.smaller import sizes
from jaxfix.report.finding import Proves
from jaxfix.report.measurement import Measurement, Worked

FACTOR = 3.0
"""Of work and of time at a warm step: below it, nothing is said."""
_FACTOR_OF_LOOPS = 1.5
"""Of time, for a fix that trades it for a smaller program, or for memory."""
_TRADING = frozenset({Proves.SMALLER_PROGRAM, Proves.LESS_DATA, Proves.LESS_TEMPORARY})
RUNS = 3
"""Pairs of runs in each of which the time has to be that much longer."""
_OPERATIONS, _VALUES, _TRACES, _SECONDS, _CALL_SECONDS = 50, 100_000, 4, 1e-3, 2e-4
_FEW = 4
_COMPILED, _COMPILED_PART = 1000, 0.5
"""Operations more to compile from which it is asked whether they pay, and the part of all that they must be."""
_DISPATCHES_OF_OPERATION = 10
"""To compile one operation takes as long as these dispatches at least: 50 and more as measured, jax 0.10.2 on a CPU."""

Times = tuple[float, float]
"""Seconds of a warm step without the fix and with it."""


def limit_of(proves: Iterable[Proves]) -> float:
    """How many times as long a warm step may take with fixes that prove this."""
    return _FACTOR_OF_LOOPS if _TRADING.intersection(proves) else FACTOR


def dearer(
    before: Measurement, after: Measurement, work: Iterable[Worked], times: Sequence[Times], limit: float = FACTOR
) -> str | None:
    """What costs much more with the fix, in words; None if nothing does.

    Args:
      limit: how many times as long a warm step may take.
      work: of the rewritten function beside its original.
      times: of several pairs of runs; fewer than `RUNS` say nothing.
    """
    for entry in work:
        if entry.freed:
            return f"every call now runs `{entry.freed[0]}`, which ran before only where a branch was taken"
        if len(entry.paced) >= RUNS and all(_is_longer_call(each) for each in entry.paced):
            return f"a warm call takes longer each time: {_shown(entry.paced)} ms"
        for what, old, new, least in (
            ("operations", entry.operations_before, entry.operations_after, _OPERATIONS),
            ("values", entry.values_before, entry.values_after, _VALUES),
        ):
            if new > FACTOR * old and new - old > least:
                return f"one call computes {old} {what} before and {new} after"
    old, new = (min((step.traces for step in run.steady_steps), default=0) for run in (before, after))
    if new > FACTOR * old and new - old >= _TRACES:
        return f"traces per step {old} -> {new}"
    compiled = _unpaid(before, after)
    if compiled is not None:
        return compiled
    if len(times) >= RUNS and all(is_longer(each, limit) for each in times):
        return f"a warm step takes longer in each of {len(times)} runs: {_shown(times)} ms"
    return None


def _unpaid(before: Measurement, after: Measurement) -> str | None:
    """That the programs to compile became larger by more than the run saves in dispatches; None if it is not so."""
    old, new = sizes(before), sizes(after)
    if old is None or new is None or not (before.spent and after.spent) or before.stopped or after.stopped:
        return None
    more, fewer = new - old, dispatched(before) - dispatched(after)
    if more < max(_COMPILED, _COMPILED_PART * old) or fewer >= _DISPATCHES_OF_OPERATION * more:
        return None
    return f"this run compiles {old} -> {new} operations to save {max(fewer, 0)} dispatches: a longer run may gain"


def _shown(times: Sequence[Times]) -> str:
    return " and ".join(f"{1e3 * old:.1f} -> {1e3 * new:.1f}" for old, new in times)


def _is_longer_call(times: Times) -> bool:
    old, new = times
    return new > _FACTOR_OF_LOOPS * old and new - old > _CALL_SECONDS


def saved(work: Iterable[Worked]) -> str:
    """The operations that one call no longer computes, to follow a verdict; empty where none are known to be."""
    fewer = (entry for entry in work if entry.operations_after < entry.operations_before)
    best = max(fewer, key=lambda entry: entry.operations_before - entry.operations_after, default=None)
    return "" if best is None else f"; one call computes {best.operations_before} -> {best.operations_after} operations"


def is_longer(times: Times, limit: float = FACTOR) -> bool:
    """Whether the second time is much longer."""
    old, new = times
    return new > limit * old and new - old > _SECONDS


def warm_times(before: Measurement, after: Measurement) -> Times | None:
    """Seconds of a warm step of both runs; None where either has too few."""
    old, new = _warm(before), _warm(after)
    return None if old is None or new is None else (old, new)


def _warm(run: Measurement) -> float | None:
    steady = run.steady_steps
    chosen = [step.seconds for step in steady if not step.compiles] or [step.seconds for step in steady]
    return median(chosen) if len(chosen) >= _FEW else None
