"""What a run of a program, as it is, says of findings; and where its lines are once they are fixed."""

import shlex
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from jaxfix.drivers.workflow.looking import told_of
from jaxfix.drivers.workflow.targets import Target, seen_by
from jaxfix.drivers.workflow.traces import Sights, traced
from jaxfix.report.measurement import Measurement
from jaxfix.report.report import Seen
from jaxfix.source.source_file import SourceFile


def seen_of(targets: Sequence[Target], measurement: Measurement, command: str) -> dict[tuple[str, str], Seen]:
    """What a run has seen of the findings of `targets`, by path and key.

    Args:
      measurement: with paths as they are named from here.
    """
    sights = Sights(traced(measurement, tuple(shlex.split(command)), ""))
    found = told_of([seen_by(sights, target) for target in targets])
    return {(entry.path, entry.key): entry.seen for entry in found if entry.seen is not None}


class MovedLines:
    """Where lines are in texts that fixes have changed.

    Args:
      changed: of each path the source and the new text; of any other the lines are where they were.
    """

    def __init__(self, changed: Mapping[str, tuple[SourceFile, bytes]]) -> None:
        self.sources = {path: (old, SourceFile.decode(path, new)) for path, (old, new) in changed.items()}
        self._moves: dict[str, list[tuple[str, int, int, int, int]]] = {}

    def now(self, path: str, cell: int | None, first: int, last: int) -> tuple[int | None, int, int] | None:
        """The cell and the lines that those of a path have become; None if there is nothing left of them."""
        if path not in self.sources:
            return cell, first, last
        old, new = self.sources[path]
        start, end = (old.line_at(cell, line) for line in (first, last))
        moves = self._of(path)
        after = [each for each in moves if each[1] < end and each[2] >= start]
        if not after:
            return None
        there = [_there(each, line) for each, line in ((after[0], start), (after[-1], end))]
        (cell_of_first, low), (_, high) = (new.place(max(1, line)) for line in (there[0][0], there[1][1]))
        return cell_of_first, low, max(low, high)

    def _of(self, path: str) -> list[tuple[str, int, int, int, int]]:
        if path not in self._moves:
            before, after = (source.text.decode().splitlines() for source in self.sources[path])
            matched = SequenceMatcher(None, before, after, autojunk=False)
            self._moves[path] = [(str(kind), a, b, c, d) for kind, a, b, c, d in matched.get_opcodes()]
        return self._moves[path]


def _there(move: tuple[str, int, int, int, int], line: int) -> tuple[int, int]:
    """The first and the last line that a line, from 1, has become."""
    kind, old, _, new, end = move
    if kind == "equal":
        return line - old + new, line - old + new
    return new + 1, end
