"""Where a program spent its time, and how long it takes there with the proven fixes."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from jaxfix.report.measurement import Kind, Measurement
from jaxfix.report.trace.by_hand import todos
from jaxfix.report.trace.compiles import Compiled, compiled, places
from jaxfix.report.trace.hot import SHARE, Work, hot, named
from jaxfix.source.edits import shown_place
from jaxfix.source.frozen import frozen

_MOST = 5
_NOTICEABLE_S = 0.05
COMPILING = "compiling again"
_WORDS = {Work.EAGER: "eager dispatch", Work.TRANSFER: "reads, puts and waits"}

Lines = Callable[[str, int | None, int, int], tuple[int | None, int, int] | None]
"""Where the lines of a path, a cell of it, from a first to a last one, are now: in which cell, from where to where."""


@frozen
class Gain:
    """The cost of some lines, and what is left of it.

    Attributes:
      what: compiling again, eager dispatch, or reads, puts and waits.
      seconds: of the run without fixes.
      now_s: of the run with what is proven.
    """

    what: str
    path: str
    line: int
    function: str
    seconds: float
    now_s: float
    cell: int | None = None

    @property
    def where(self) -> str:
        """The place, as printed: path and line."""
        return shown_place(self.path, self.cell, self.line)


@frozen
class Went:
    """Where a program spent its time, and the remaining remedies.

    Attributes:
      run_s: seconds without fixes.
      now_s: that it ran with what is proven; None where nothing is.
      gains: what takes a hundredth of the run less than before, the most seconds first.
      by_hand: advice, one line each, on what still takes more than a hundredth of the run.
    """

    run_s: float
    now_s: float | None
    gains: tuple[Gain, ...]
    by_hand: tuple[str, ...]


def went(before: Measurement, after: Measurement | None, lines: Lines) -> Went | None:
    """Where the seconds of a run went; None if not measured."""
    if not before.seconds:
        return None
    left = _by_function(before if after is None else after)
    by_hand = tuple(todo.words for todo in todos(left, ())[:_MOST] if todo.seconds >= _NOTICEABLE_S)
    if after is None:
        return Went(before.seconds, None, (), by_hand)
    least = max(_NOTICEABLE_S, SHARE * before.seconds)
    found = [gain for gain in _gains(_by_function(before), after, lines) if gain.seconds - gain.now_s >= least]
    found.sort(key=lambda gain: gain.now_s - gain.seconds)
    return Went(before.seconds, after.seconds, tuple(found[:_MOST]), by_hand)


def _by_function(measurement: Measurement) -> Measurement:
    """In a proof, steps are calls of the rewritten functions: what happens in them is counted separately."""
    watched = {name.rpartition(":")[2] for name in measurement.functions} - {"<module>"}
    spent = [
        replace(entry, in_steps=entry.count if any(e.function in watched for e in places(entry.chain)) else None)
        for entry in measurement.spent
    ]
    return replace(measurement, steps=(), spent=tuple(spent))


def _gains(before: Measurement, after: Measurement, lines: Lines) -> Iterable[Gain]:
    for region in hot(before):
        now = lines(region.path, region.cell, region.first, region.last)
        kinds = {line.kind for line in region.lines}
        if now is not None:
            left = sum(
                entry.seconds
                for entry in after.spent
                if entry.kind in kinds and entry.kind is not Kind.OWN and _passes(entry.chain, region.path, now)
            )
            where = region.path, region.first, region.function
            yield Gain(_WORDS[region.kind], *where, region.seconds, left, region.cell)
    again = compiled(after.compiles)
    for row in _by_line(compiled(before.compiles)):
        now = lines(row.path, row.cell, row.line, row.line)
        if now is not None:
            left = sum(each.lost_s for each in again if _compiles_in(each, row.path, now))
            yield Gain(COMPILING, row.path, row.line, named(row.function), row.lost_s, left, row.cell)


def _by_line(rows: Iterable[Compiled]) -> list[Compiled]:
    """All that one line compiled, of whichever programs."""
    found: dict[str, Compiled] = {}
    for row in rows:
        same = found.get(row.where)
        found[row.where] = row if same is None else replace(same, lost_s=same.lost_s + row.lost_s)
    return list(found.values())


def _compiles_in(row: Compiled, path: str, lines: tuple[int | None, int, int]) -> bool:
    cell, first, last = lines
    return row.path == path and row.cell == cell and first <= row.line <= last


def _passes(chain: Iterable[str], path: str, lines: tuple[int | None, int, int]) -> bool:
    """Whether a chain of calls goes through these lines."""
    cell, first, last = lines
    return any(e.path == path and e.cell == cell and first <= e.line <= last for e in places(chain))
