"""How much is known of the results of a fix, in words: of what was run, or of every value."""

from collections.abc import Collection, Sequence

from jaxfix.evidence.outputs import Likeness
from jaxfix.report.evidence import Level
from jaxfix.report.finding import Equality
from jaxfix.report.measurement import Traced

_NAMED = 3
_ROUNDED = (Equality.ROUNDING, Equality.NUMBERS, Equality.FUSED, Equality.AS_JITTED)


def level(found: Likeness, equality: Equality, programs: Collection[Traced]) -> Level:
    """The strongest word that the two runs and what was traced beside them allow."""
    if is_same(programs) and _tells(programs):
        return Level.PROGRAM_OF_ANY_SIZE if all(entry.any_size for entry in programs) else Level.PROGRAM
    is_exact = not (found.max_delta or found.max_ulp or found.double or found.drift)
    if equality is Equality.ROUNDING or (equality in _ROUNDED and not is_exact):
        return Level.ROUNDING
    return Level.BITWISE


def is_same(programs: Collection[Traced]) -> bool:
    """Whether both functions were the same program in every call that they were traced for."""
    return bool(programs) and all(entry.is_same for entry in programs)


def _tells(programs: Collection[Traced]) -> bool:
    """Whether a program says what a function does: not of one that works on texts, numbers and containers in Python."""
    return all(entry.computes for entry in programs)


def same_program(programs: Sequence[Traced]) -> str | None:
    """That both functions are the same program, and for which values; None if unknown."""
    if not is_same(programs) or not _tells(programs):
        return None
    arrays = " or ".join(dict.fromkeys(_listed(entry.arrays) for entry in programs if entry.arrays))
    of = f"for every value of {arrays}" if arrays else "whenever it is called"
    sizes = " and every size from 2 on (equal sizes stay equal)" if all(entry.any_size for entry in programs) else ""
    calls = "a call" if len(programs) == 1 else f"{len(programs)} calls"
    besides = list(dict.fromkeys(f"`{name}`" for entry in programs for name in entry.besides))[:_NAMED]
    other = f"{', '.join(besides)} and all else are" if besides else "all else is"
    return f"the same program {of}{sizes}, if {other} as in {calls}"


def _listed(arrays: Sequence[str]) -> str:
    named = ", ".join(arrays[:_NAMED])
    return f"{named} and {len(arrays) - _NAMED} more" if len(arrays) > _NAMED else named
