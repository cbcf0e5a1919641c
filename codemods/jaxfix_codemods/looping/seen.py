"""What a traced run has seen of a Python loop: how often a trace repeats its lines, and which arrays it goes over."""

import ast
from collections.abc import Container, Iterator

from jaxfix.api import Module, walk
from jaxfix.api.analysis import ANYTHING, Held, Note
from jaxfix_codemods.looping.rounds import Rounds


def iterations_seen(module: Module, loop: ast.For) -> int:
    """How many iterations of `loop` a trace has unrolled; 0 where no run has told."""
    inner = [node for statement in loop.body for node in walk(statement) if isinstance(node, ast.For)]
    return _fewest(module, set(_lines(loop)).difference(*map(_lines, inner)))


def elements_seen(module: Module, comprehension: ast.ListComp | ast.GeneratorExp) -> int:
    """How many elements of `comprehension` a trace has unrolled; 0 where no run has told."""
    first, last = comprehension.elt.lineno, comprehension.elt.end_lineno or comprehension.elt.lineno
    return _fewest(module, range(first, last + 1))


def are_arrays_seen(module: Module, rounds: Rounds) -> bool:
    """Whether a trace went over as many arrays, row by row, as the loop names, or a run could still show that."""
    line, number = rounds.loop.iter.lineno, len(rounds.arrays)
    if ANYTHING in module.held:
        return number > 0
    found = [len(each.noted.what.split(" and ")) for each in _held(module, Note.ROWS) if each.noted.line == line]
    return 0 < number <= max(found, default=0)


def are_some(module: Module, seen: int) -> bool:
    """Whether there are iterations, of which a trace has unrolled `seen`, or a run could still show some."""
    return seen > 0 or ANYTHING in module.held


def _fewest(module: Module, lines: Container[int]) -> int:
    counts = {each.noted.line: int(each.noted.what) for each in _held(module, Note.UNROLLED)}
    return min((count for line, count in counts.items() if line in lines), default=0)


def _held(module: Module, note: Note) -> Iterator[Held]:
    return (each for each in module.held if each != ANYTHING and each.noted.note is note)


def _lines(loop: ast.For) -> range:
    return range(loop.body[0].lineno, (loop.end_lineno or loop.lineno) + 1)
