"""What the compiled programs of a run contain that no source shows, by function."""

from collections.abc import Iterable

from jaxfix.report.measurement import Compile
from jaxfix.report.trace.compiles import Place, places
from jaxfix.report.trace.noted import Note, Noted
from jaxfix.source.frozen import frozen


@frozen
class Held:
    """Something that the compiled programs of one function contain.

    Attributes:
      noted: as the first of them has it.
      program: what was compiled, such as `jit(step)`.
      of: the user's function that was compiled; None for a library's.
      compiles: of programs that hold it.
      seconds: of these compiles.
      is_of_steps: whether one of them was in a step, so that it runs repeatedly.
    """

    noted: Noted
    program: str
    of: Place | None
    compiles: int
    seconds: float
    is_of_steps: bool = False


ANYTHING = Held(Noted(Note.CAPTURED, "", 0, "", "", 0, is_tree=True), "", None, 0, 0.0)
"""Stands for whatever a run could show: of each function, each variable that is read as an array."""


def held(compiles: Iterable[Compile]) -> tuple[Held, ...]:
    """What programs contain, by function, line and variable; the largest first."""
    groups: dict[tuple[object, ...], list[tuple[Noted, Compile]]] = {}
    for entry in compiles:
        for each in entry.noted:
            key = (each.note, each.path, each.cell, each.line, each.name, each.what, entry.of or entry.program)
            groups.setdefault(key, []).append((each, entry))
    found = [_held(group) for group in groups.values()]
    return tuple(sorted(found, key=lambda each: -each.noted.bytes))


def _held(group: list[tuple[Noted, Compile]]) -> Held:
    noted, first = group[0]
    of = places([first.of]) if first.of is not None else ()
    seconds = sum(entry.seconds for _, entry in group)
    is_of_steps = any(entry.step is not None for _, entry in group)
    return Held(noted, first.program, of[0] if of else None, len(group), seconds, is_of_steps)
