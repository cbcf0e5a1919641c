"""Whether a fix has jax run fewer programs one by one. Pure; dispatches are counted, and time decides nothing."""

from jaxfix.report.evidence import DISPATCHES
from jaxfix.report.measurement import Kind, Measurement

_FEWEST, _PART = 1000, 0.1
"""Dispatches that must go, and the part of all that they must be."""
_OF_COMPILE = 5000
"""Dispatches that pay for one more compile: 20 us and 100 ms on a CPU."""
_MANY_COMPILES = 10
"""Compiles that are worth a change, whatever is dispatched: 100 ms and more on a CPU."""
_ENOUGH = 100
"""Dispatches of a run below which compiles alone tell."""
_NOISES = 3
"""Times what two equal runs differ by, a drop has to be."""


def dispatched(run: Measurement) -> int:
    """How many programs jax ran one by one, outside of compiled functions."""
    return sum(entry.count for entry in run.spent if entry.kind is Kind.EAGER)


def are_fewer(before: int, after: int) -> bool:
    """Whether so many dispatches are gone that it is worth a change."""
    return before - after >= max(_FEWEST, _PART * before)


def fewer_dispatches(before: Measurement, after: Measurement, noise: int = 0) -> str | None:
    """How many dispatches are gone, in words; None where too few are, or more compiles than these pay for come.

    Args:
      noise: by how many two equal runs differ, as where a loop waits or ends by the clock.
    """
    if not (before.spent and after.spent) or before.stopped or after.stopped:
        return None
    old, new = dispatched(before), dispatched(after)
    more = len(after.compiles) - len(before.compiles)
    is_paid = old - new >= max(_OF_COMPILE * more, _NOISES * noise) and after.steady_compiles <= before.steady_compiles
    return f"{DISPATCHES} {old:,} -> {new:,}" if is_paid and are_fewer(old, new) else None


def is_slight(before: Measurement, after: Measurement) -> bool:
    """Whether a fix of work that runs eagerly saves a few compiles at the start, and hardly a dispatch."""
    if not (before.spent and after.spent) or before.stopped or after.stopped:
        return False
    saved = len(before.compiles) - len(after.compiles)
    if after.steady_compiles < before.steady_compiles or saved >= _MANY_COMPILES:
        return False
    old, new = dispatched(before), dispatched(after)
    is_part = old < _ENOUGH and not are_few(saved, before)
    return not is_part and old - new < min(_FEWEST, max(_PART * old, _PART * _ENOUGH))


def are_few(saved: int, run: Measurement) -> bool:
    """Whether these are few of the compiles of a run."""
    return saved < min(_MANY_COMPILES, _PART * len(run.compiles))
