"""Which words of a changed line have changed."""

import difflib
import re
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
_ALIKE = 0.4
_MOST = 150
"""The most lines of a block in which pairs are looked for."""

Parts = tuple[tuple[str, bool], ...]
"""A line in pieces, each with whether it has changed."""


def marked(removed: Sequence[str], added: Sequence[str]) -> tuple[tuple[Parts, ...], tuple[Parts, ...]]:
    """The lines of a block that was replaced by another one, in pieces.

    A line without one that it became is one piece that has not changed: all of it is new, or gone.
    """
    old, new = [_whole(line) for line in removed], [_whole(line) for line in added]
    for first, second in _pairs(removed, added):
        old[first], new[second] = _compared(removed[first], added[second])
    return tuple(old), tuple(new)


def _pairs(removed: Sequence[str], added: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Lines that became others, in order."""
    if len(removed) > _MOST or len(added) > _MOST:
        return
    start = 0
    for first, line in enumerate(removed):
        likes = [(_likeness(line, other), -second) for second, other in enumerate(added[start:], start)]
        like, second = max(likes, default=(0.0, 0))
        if like >= _ALIKE:
            yield first, -second
            start = 1 - second


def _likeness(line: str, other: str) -> float:
    if not line.strip() or not other.strip():
        return 0.0
    matcher = difflib.SequenceMatcher(None, _TOKEN.findall(line.strip()), _TOKEN.findall(other.strip()), False)
    if min(matcher.real_quick_ratio(), matcher.quick_ratio()) < _ALIKE:  # cheap, and never too low
        return 0.0
    return matcher.ratio()


def _compared(line: str, other: str) -> tuple[Parts, Parts]:
    before, after = _TOKEN.findall(line), _TOKEN.findall(other)
    old: list[tuple[str, bool]] = []
    new: list[tuple[str, bool]] = []
    for kind, first, last, start, end in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        old.append(("".join(before[first:last]), kind != "equal"))
        new.append(("".join(after[start:end]), kind != "equal"))
    return tuple(part for part in old if part[0]) or _whole(""), tuple(part for part in new if part[0]) or _whole("")


def _whole(line: str) -> Parts:
    return ((line, False),)
