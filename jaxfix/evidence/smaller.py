"""Whether a fix has made programs smaller. Pure; counted are operations, a loop once, and bytes, never time."""

from jaxfix.report.measurement import Measurement

_FEWEST, _FEWEST_BYTES, _PART = 64, 1 << 20, 0.05
"""Operations, or bytes of constants, that must go, and the part of all that they must be."""


def sizes(run: Measurement) -> int | None:
    """The operations of all that a run has compiled; None where jax does not tell."""
    found = [entry.operations for entry in run.compiles]
    known = [each for each in found if each is not None]
    return sum(known) if len(known) == len(found) else None


def constant_bytes(run: Measurement) -> int | None:
    """What the constants of all that a run has compiled take; None where jax does not tell."""
    found = [entry.constant_bytes for entry in run.compiles]
    known = [each for each in found if each is not None]
    return sum(known) if len(known) == len(found) else None


def is_lighter(before: int, after: int) -> bool:
    """Whether so many bytes of constants are gone that it is worth a change."""
    return before - after >= max(_FEWEST_BYTES, _PART * before)


def is_smaller(before: int, after: int) -> bool:
    """Whether so many operations are gone that it is worth a change."""
    return before - after >= max(_FEWEST, _PART * before)
