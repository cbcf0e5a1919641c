"""The hunks of two texts, as `difflib` writes them, except lines that stand often: those match here too."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

_Change = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
_AROUND = 3
_OFTEN_FROM = 200
"""Lines: in shorter texts `difflib` ignores none."""
_MOST_LINES = 4_000
"""Between the first and the last change: beyond, lines that stand often would take too long to match."""


def line_hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The lines of a unified diff, without the names of the files.

    `difflib.unified_diff` ignores lines that stand for more than a percent of a file of 200 and more: blank lines and
    short calls come out as removed and added.
    """
    for group in _Matched([*_changes(old, new)]).get_grouped_opcodes(_AROUND):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for kind, a, b, c, d in group:
            if kind == "equal":
                yield from (f" {line}" for line in old[a:b])
            else:
                yield from (f"-{line}" for line in old[a:b])
                yield from (f"+{line}" for line in new[c:d])


class _Matched(SequenceMatcher[str]):
    """What was matched already, to be put into hunks."""

    def __init__(self, changes: list[_Change]) -> None:
        super().__init__(None, (), ())
        self._changes = changes

    def get_opcodes(self) -> list[_Change]:
        return self._changes


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[_Change]:
    """All of both texts, in runs of lines that are equal or not; what they begin and end with alike is not matched."""
    shorter = min(len(old), len(new)) if len(new) >= _OFTEN_FROM else 0
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    inner, fresh = old[head : len(old) - tail], new[head : len(new) - tail]
    if head:
        yield "equal", 0, head, 0, head
    matcher = SequenceMatcher(None, inner, fresh, autojunk=max(len(inner), len(fresh)) > _MOST_LINES)
    for kind, a, b, c, d in matcher.get_opcodes():
        yield kind, a + head, b + head, c + head, d + head
    if tail:
        yield "equal", len(old) - tail, len(old), len(new) - tail, len(new)


def _range(start: int, stop: int) -> str:
    """As in the head of a hunk: lines from 1, and those before an empty range."""
    length = stop - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"
