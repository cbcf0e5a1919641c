"""What a run compiled, by source line and program, and which of it again."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from jaxfix.report.measurement import Compile
from jaxfix.report.trace.cause import Cause, Why
from jaxfix.source.edits import shown_place
from jaxfix.source.frozen import frozen

_CELL = re.compile(r"(.+\.ipynb):cell (\d+)", re.DOTALL)


_LAYERS = 8


@frozen
class Place:
    """A line of a call chain; in a notebook `line` counts within `cell`."""

    path: str
    line: int
    function: str
    cell: int | None = None

    @property
    def where(self) -> str:
        """The place, as printed: path and line."""
        return shown_place(self.path, self.cell, self.line)


@frozen
class Compiled:
    """All compiles of one program at one line.

    Attributes:
      again: the compiles after the first one of their kind: they are what the run lost. Those of the leaves of a tree,
        or of the layers of a network, are no such.
      seconds: of all of its compiles, tracing and lowering included.
      lost_s: of those that are counted in `again`.
      cached: how many came from the persistent compilation cache.
      cause: why it compiled again, most often; of the first compile where there was no other.
      causes: of every compile that has one, each with its number, the most frequent first.
      chain: the user's lines from `line` outwards, those of the first recompile.
      cell: of a notebook, from 1, within which `line` counts; None elsewhere.
      is_of_one_step: whether all of them happened in a single step, as those of the leaves of a tree do, or before and
        after the steps of a program that has some, as those of the layers of a network do.
    """

    path: str
    line: int
    function: str
    program: str
    compiles: int
    again: int
    seconds: float
    lost_s: float
    cached: int
    cause: Cause | None
    causes: tuple[tuple[Cause, int], ...]
    chain: tuple[Place, ...]
    cell: int | None = None
    is_of_one_step: bool = False

    @property
    def where(self) -> str:
        """The place, as printed: path and line."""
        return shown_place(self.path, self.cell, self.line)

    @property
    def why(self) -> Why:
        """What kind of cause; `UNKNOWN` where none is known."""
        return self.cause.why if self.cause else Why.UNKNOWN


def compiled(compiles: Iterable[Compile]) -> tuple[Compiled, ...]:
    """Compiles by line and program: most seconds lost first, then most recompiles, most seconds, by name."""
    groups: dict[tuple[str, str], list[Compile]] = {}
    has_steps = False
    for entry in compiles:
        groups.setdefault((entry.where, entry.program), []).append(entry)
        has_steps |= entry.step is not None
    found = (merged(group) for group in groups.values())
    placed = (_outside(row, groups) if has_steps else row for row in found)
    return tuple(sorted(map(_of_a_tree, placed), key=_rank))


def merged(group: Sequence[Compile]) -> Compiled:
    """Compiles of one function as one row; where several lines compiled it, at the first that recompiled."""
    # A first compile is reported as such by its cause: each process of a program has one of its own.
    again = [entry for entry in group[1:] if entry.cause is None or entry.cause.why is not Why.FIRST]
    telling = (again or group)[0]
    reasons = Counter(entry.cause for entry in again or group if entry.cause)
    kinds = Counter(cause.why for cause in reasons.elements())
    main = max(reasons, key=lambda cause: (kinds[cause.why], reasons[cause]), default=None)
    return Compiled(
        path=telling.path,
        line=telling.line,
        function=telling.function,
        program=telling.program,
        compiles=len(group),
        again=len(again),
        seconds=sum(entry.seconds for entry in group),
        lost_s=sum(entry.seconds for entry in again),
        cached=sum(entry.cached for entry in group),
        cause=main,
        causes=tuple(Counter(entry.cause for entry in group if entry.cause).most_common()),
        chain=places(telling.chain),
        cell=telling.cell,
        is_of_one_step=len({entry.step for entry in group}) == 1 and group[0].step is not None,
    )


def _outside(row: Compiled, groups: Mapping[tuple[str, str], Sequence[Compile]]) -> Compiled:
    """Of one step is also what happened outside of all."""
    is_outside = all(entry.step is None for entry in groups[row.where, row.program])
    return replace(row, is_of_one_step=True) if is_outside else row


def _of_a_tree(row: Compiled) -> Compiled:
    """Shapes of one step, and a few sizes that are passed as they are, are compiled once: later steps find them."""
    is_size = row.why in (Why.STATIC, Why.PARAMETER) and row.again <= _LAYERS
    is_tree = row.is_of_one_step and (row.why is Why.SHAPE or is_size)
    return replace(row, again=0, lost_s=0.0) if is_tree else row


def places(chain: Iterable[str]) -> tuple[Place, ...]:
    """The lines of a chain of entries `file:line in function`; other entries are left out."""
    return tuple(place for place in map(_place, chain) if place is not None)


def _rank(entry: Compiled) -> tuple[float, int, float, str, int, int, str]:
    return -entry.lost_s, -entry.again, -entry.seconds, entry.path, entry.cell or 0, entry.line, entry.program


def _place(entry: str) -> Place | None:
    where, _, function = entry.rpartition(" in ")
    path, _, line = where.rpartition(":")
    if not path or not (line.isascii() and line.isdigit()):
        return None
    cell = _CELL.fullmatch(path)
    return Place(cell[1], int(line), function, int(cell[2])) if cell else Place(path, int(line), function)
