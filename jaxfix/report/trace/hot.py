"""Regions of lines whose host work could be done once, or in one program, with what to do."""

from collections.abc import Iterable, Sequence
from enum import Enum

from jaxfix.report.measurement import Kind, Measurement, Spent
from jaxfix.report.trace.compiles import Place, places
from jaxfix.report.trace.spending import in_each, spent
from jaxfix.source.edits import shown_place
from jaxfix.source.frozen import frozen

SHARE = 0.01
"""Of the run: what takes less is not reported."""
_SETUP_SHARE = 0.05
"""The same for what happens outside of the steps."""
_NEARLY_ALL = 0.8
_ALMOST_NOTHING = 0.01
_PROGRAMS_OF_A_READ = 4
_INDEXING = frozenset(
    {"dynamic_slice", "dynamic_index_in_dim", "gather", "slice", "squeeze", "unstack", "_unstack", "_rewriting_take"}
)
_TRANSFERS = (Kind.READ, Kind.PUT, Kind.WAIT)


class Work(Enum):
    """Where a run spent time besides compiling.

    Attributes:
      EAGER: programs that run one by one and could be one program.
      TRANSFER: transfers between host and device, and programs that only serve them.
    """

    EAGER = "eager"
    TRANSFER = "transfer"


@frozen
class Hot:
    """Lines of one function in which a run spent time besides compiling.

    Attributes:
      function: whose lines `first` to `last` are; lambdas and comprehensions are part of the function around them.
      count: programs, or reads, puts and waits, in the whole run.
      per_step: of them in each step; None outside of steps.
      seconds: of the programs that lead to a transfer too.
      programs: that ran one by one.
      lines: what each line has done.
      chain: the lines that called the function, from the inside out.
    """

    kind: Work
    path: str
    cell: int | None
    function: str
    first: int
    last: int
    count: int
    per_step: float | None
    seconds: float
    waited_s: float
    programs: int
    reads: int
    puts: int
    waits: int
    lines: tuple[Spent, ...]
    chain: tuple[Place, ...]

    @property
    def where(self) -> str:
        """The first of its lines as it is shown."""
        return shown_place(self.path, self.cell, self.first)


@frozen
class _Frame:
    """A function on the way to an entry; `line` calls the next one, or is its own, `last` is in what it holds."""

    path: str
    cell: int | None
    function: str
    line: int
    last: int


_Way = tuple[_Frame, ...]


def hot(measurement: Measurement) -> tuple[Hot, ...]:
    """The regions that took more than 1 % of the run, most seconds first."""
    found = spent(measurement)
    reads = [entry for entry in found if entry.kind is Kind.READ]
    eager = [entry for entry in found if entry.kind is Kind.EAGER]
    eager += [entry for entry in found if entry.kind is Kind.PUT and _is_constant(entry, eager)]
    moving = [entry for entry in found if entry.kind in _TRANSFERS and entry not in eager]
    moving += [entry for entry in eager if entry.kind is Kind.EAGER and _is_read(entry, reads)]
    regions: list[Hot] = []
    for kind, entries in ((Work.EAGER, [entry for entry in eager if entry not in moving]), (Work.TRANSFER, moving)):
        for within in (True, False):
            some = [(entry, _way(entry)) for entry in entries if (entry.in_steps is not None) is within]
            regions += [_hot(kind, group, depth, measurement) for group, depth in _regions(some, 0)]
    told = [region for region in regions if region.count and region.seconds >= _least(region, measurement)]
    return tuple(sorted(told, key=lambda region: -region.seconds))


def _least(region: Hot, measurement: Measurement) -> float:
    is_setup = region.per_step is None and bool(measurement.steps)
    return (_SETUP_SHARE if is_setup else SHARE) * measurement.seconds


def _is_constant(put: Spent, eager: Iterable[Spent]) -> bool:
    """Whether it is of numbers that programs of the same line take: they are constants once it is compiled."""
    here = (entry for entry in eager if entry.where == put.where)
    return any(entry.count >= put.count and entry.seconds >= put.seconds for entry in here)


def _is_read(entry: Spent, reads: Iterable[Spent]) -> bool:
    """Whether what runs there is the way to a read: on its line, or elements that its function then reads."""
    near = [read for read in reads if read.path == entry.path and read.cell == entry.cell]
    here = [read for read in near if read.line == entry.line]
    if _INDEXING.issuperset(entry.names) and entry.names:
        around = entry.function.partition(".<locals>")[0]
        here += [read for read in near if read.function.partition(".<locals>")[0] == around]
    return any(read.count * _PROGRAMS_OF_A_READ >= entry.count > 0 for read in here)


def _way(entry: Spent) -> _Way:
    """The functions that lead to an entry, the outermost first."""
    way: list[_Frame] = []
    for place in reversed(places(entry.chain)):
        function = named(place.function)
        last = way[-1] if way else None
        if last is not None and (last.path, last.cell, last.function) == (place.path, place.cell, function):
            way[-1] = _Frame(place.path, place.cell, function, last.line, place.line)
        else:
            way.append(_Frame(place.path, place.cell, function, place.line, place.line))
    return tuple(way)


def named(function: str) -> str:
    """The innermost function that has a name."""
    while function.endswith(">") and function != "<module>":
        function = function.rpartition(".")[0].removesuffix(".<locals>") or "<module>"
    return function


def _regions(entries: Sequence[tuple[Spent, _Way]], depth: int) -> list[tuple[list[tuple[Spent, _Way]], int]]:
    """Goes down to where work spreads over several lines of a function: these are a region, at their depth."""
    functions: dict[tuple[str, int | None, str], list[tuple[Spent, _Way]]] = {}
    for entry, way in entries:
        if depth < len(way):
            functions.setdefault((way[depth].path, way[depth].cell, way[depth].function), []).append((entry, way))
    found = []
    for group in functions.values():
        lines: dict[int, list[tuple[Spent, _Way]]] = {}
        for entry, way in group:
            lines.setdefault(way[depth].line, []).append((entry, way))
        heavy = [pair for pair in max(lines.values(), key=_size) if len(pair[1]) > depth + 1]
        if heavy and all(a >= _NEARLY_ALL * b for a, b in zip(_size(heavy), _size(group), strict=True)):
            rest = [pair for pair in group if pair not in heavy]
            found += _regions(heavy, depth + 1) + ([(rest, depth)] if rest else [])
        else:
            found.append((group, depth))
    return found


def _size(group: Iterable[tuple[Spent, _Way]]) -> tuple[float, int]:
    entries = [entry for entry, _ in group]
    return sum(entry.seconds for entry in entries), sum(entry.count for entry in entries)


def _hot(kind: Work, group: Sequence[tuple[Spent, _Way]], depth: int, measurement: Measurement) -> Hot:
    seconds, count = _size(group)
    own = [
        (entry, way[depth])
        for entry, way in group
        if entry.seconds > _ALMOST_NOTHING * seconds or entry.count > _ALMOST_NOTHING * count
    ]
    first, way = own[0][1], group[0][1]
    counts = {each: sum(entry.count for entry, _ in group if entry.kind is each) for each in Kind}
    moves = sum(counts[each] for each in _TRANSFERS)
    counted = [entry for entry, _ in group if (entry.kind is Kind.EAGER) is (kind is Work.EAGER)]
    within = [entry.in_steps for entry in counted if entry.in_steps is not None]
    return Hot(
        kind=kind,
        path=first.path,
        cell=first.cell,
        function=first.function,
        first=min(min(frame.line, frame.last) for _, frame in own),
        last=max(max(frame.line, frame.last) for _, frame in own),
        count=counts[Kind.EAGER] if kind is Work.EAGER else moves,
        per_step=in_each(sum(within), measurement) if within else None,
        seconds=seconds,
        waited_s=sum(entry.waited_s for entry, _ in group),
        programs=counts[Kind.EAGER],
        reads=counts[Kind.READ],
        puts=counts[Kind.PUT],
        waits=counts[Kind.WAIT],
        lines=tuple(entry for entry, _ in group),
        chain=tuple(Place(f.path, f.line, f.function, f.cell) for f in reversed(way[:depth])),
    )
