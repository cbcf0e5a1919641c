"""Whether a fix has made programs smaller. Pure; operations are counted, a loop once, and time decides nothing."""

from jaxfix.report.measurement import Measurement

_FEWEST, _PART = 64, 0.05
"""Operations that must go, and the part of all that they must be."""


def sizes(run: Measurement) -> int | None:
    """The operations of all that a run has compiled; None where jax does not tell."""
    found = [entry.operations for entry in run.compiles]
    known = [each for each in found if each is not None]
    return sum(known) if len(known) == len(found) else None


def is_smaller(before: int, after: int) -> bool:
    """Whether so many operations are gone that it is worth a change."""
    return before - after >= max(_FEWEST, _PART * before)
