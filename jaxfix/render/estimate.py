"""What a finding costs in words, where no run has measured it."""

from jaxfix.report.finding import Confidence, Cost
from jaxfix.report.report import Diagnostic

_RANKS = {cost: rank for rank, cost in enumerate(Cost)}
_EACH = (Cost.COMPILES, Cost.WORK)


def dearest_first(diagnostic: Diagnostic) -> tuple[float, bool, int, int]:
    """A key to sort by: what a run has measured, in seconds; else what is certain, by kind of cost and nested loops."""
    is_possible = diagnostic.confidence is Confidence.POSSIBLE
    if diagnostic.seen is not None:
        return -diagnostic.seen.seconds, is_possible, 0, 0
    return 0.0, is_possible, *estimated(diagnostic)


def estimated(diagnostic: Diagnostic) -> tuple[int, int]:
    """The part of the key that is an estimate."""
    return (len(_RANKS) if diagnostic.cost is None else _RANKS[diagnostic.cost]), -diagnostic.loops


def in_words(diagnostic: Diagnostic) -> str | None:
    """Such as `a compile in each iteration of 2 nested loops`; None where nothing is known."""
    if diagnostic.cost is None:
        return None
    if diagnostic.cost not in _EACH:
        return diagnostic.cost.value
    match diagnostic.loops:
        case 0:
            return f"{diagnostic.cost.value} at each call"
        case 1:
            return f"{diagnostic.cost.value} in each iteration"
        case number:
            return f"{diagnostic.cost.value} in each iteration of {number} nested loops"
