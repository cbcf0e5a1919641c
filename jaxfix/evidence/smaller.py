"""Whether a fix has made programs smaller. Pure; counted are operations, a loop once, and bytes, never time."""

from jaxfix.report.measurement import Measurement

_FEWEST, _FEWEST_BYTES, _PART, _PART_OF_TEMPORARIES = 64, 1 << 20, 0.05, 0.1
"""Operations, or bytes of constants, that must go, and the part of all that they must be."""


def sizes(run: Measurement) -> int | None:
    """The operations of all that a run has compiled; None where jax does not tell."""
    found = [entry.operations for entry in run.compiles]
    known = [each for each in found if each is not None]
    return sum(known) if len(known) == len(found) else None


def constant_bytes(run: Measurement) -> int | None:
    """The size of the constants of all compiled programs of a run; None where jax does not report it."""
    found = [entry.constant_bytes for entry in run.compiles]
    known = [each for each in found if each is not None]
    return sum(known) if len(known) == len(found) else None


def is_lighter(before: int, after: int) -> bool:
    """Whether so many bytes of constants are gone that it is worth a change."""
    return before - after >= max(_FEWEST_BYTES, _PART * before)


def is_smaller(before: int, after: int) -> bool:
    """Whether so many operations are gone that it is worth a change."""
    return before - after >= max(_FEWEST, _PART * before)


def temporary_bytes(run: Measurement) -> int | None:
    """The memory that each compiled program of a run needs while it runs; None where jax does not report it."""
    known = [each.temporary_bytes for each in run.compiles if each.temporary_bytes is not None]
    return sum(known) if known else None


def flops(run: Measurement) -> float:
    """The floating-point operations of all that a run has compiled, each program once."""
    return sum(each.flops or 0.0 for each in run.compiles)


def is_thinner(before: int, after: int) -> bool:
    """Whether so many bytes of temporaries are gone that they are worth the time."""
    return before - after >= max(_FEWEST_BYTES, _PART_OF_TEMPORARIES * before)
