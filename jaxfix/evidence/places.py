"""Which lines of a run are those of one fix, where several rewrite the same function."""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from difflib import SequenceMatcher

from jaxfix.report.measurement import Compile, Spent
from jaxfix.source.errors import SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

_CELL = re.compile(r"(?<=\.ipynb):cell \d+$")
Lines = tuple[frozenset[int], frozenset[int]]
"""Of the text without a fix, and of the one with it."""


@frozen
class Place:
    """Lines of a function in a text that is run.

    Attributes:
      lines: from 1; None for all of them.
      but: lines that do not count.
    """

    path: str
    qualname: str
    lines: frozenset[int] | None = None
    but: frozenset[int] = frozenset()

    @classmethod
    def of(cls, function: str) -> "Place":
        """All of a function, as measurements name it (`path:qualified name`)."""
        path, _, qualname = function.rpartition(":")
        return cls(path, qualname)

    def holds(self, entry: Compile | Spent) -> bool:
        """Whether one of the lines is in the chain of the entry."""
        return any(map(self._has, entry.chain))

    def _has(self, link: str) -> bool:
        position, _, where = link.partition(" in ")
        file, _, line = position.rpartition(":")
        file = _CELL.sub("", file)
        if where != self.qualname or not (file == self.path or file.endswith(f"/{self.path}")):
            return False
        return (self.lines is None and not self.but) or self._counts(int(line))

    def _counts(self, line: int) -> bool:
        return line not in self.but and (self.lines is None or line in self.lines)


@frozen
class Parts:
    """What of a function is one fix's.

    Attributes:
      gone: what it replaces of the original.
      around: what of the original no other fix replaces.
      after: what of the patched function no other fix has made.
      made: what it has made.
    """

    gone: Place
    around: Place
    after: Place
    made: Place

    @classmethod
    def whole(cls, place: Place) -> "Parts":
        """All of the function is its own."""
        return cls(place, place, place, place)

    @classmethod
    def of(cls, place: Place, mine: Lines, all_gone: frozenset[int], all_made: frozenset[int]) -> "Parts":
        """It shares the function with others, which replace and have made the rest of these lines."""
        gone, made = mine
        return cls(
            replace(place, lines=gone),
            replace(place, but=all_gone - gone),
            replace(place, but=all_made - made),
            replace(place, lines=made),
        )


@frozen
class Own:
    """What is one fix's, and what is that of each other one."""

    mine: Parts
    others: tuple[Parts, ...]


def replaced(old: bytes, new: bytes, place: Place) -> Lines | None:
    """The lines of a function that only the old text has, and those that only the new one has.

    Functions within it count for themselves. None where a text cannot be read or has no such function, and of
    notebooks, whose lines are counted cell by cell.
    """
    before, after = (_lines_of(text, place) for text in (old, new))
    if before is None or after is None or place.path.endswith(".ipynb"):
        return None
    texts = (before, old.splitlines()), (after, new.splitlines())
    written = [[lines[number - 1].strip() for number in numbers] for numbers, lines in texts]
    codes = SequenceMatcher(None, written[0], written[1], autojunk=False).get_opcodes()
    changed = [code[1:] for code in codes if code[0] != "equal"]
    gone = frozenset(line for first, last, _, _ in changed for line in before[first:last])
    made = frozenset(line for _, _, first, last in changed for line in after[first:last])
    return gone, made


def are_apart(sets: Collection[frozenset[int]]) -> bool:
    """Whether no line is in two of them."""
    return sum(map(len, sets)) == len(frozenset().union(*sets))


def _lines_of(text: bytes, place: Place) -> list[int] | None:
    """The lines of a function, without those of the functions and classes within it."""
    try:
        tree: ast.AST = ast.parse(SourceFile.decode(place.path, text).text)
    except (SourceError, SyntaxError, ValueError):
        return None
    if place.qualname == "<module>":
        return _own(range(1, len(text.splitlines()) + 1), tree)
    found = [node for name, node in _functions(tree, "") if name == place.qualname]
    return _own(_span(found[0]), found[0]) if len(found) == 1 else None


def _own(lines: range, node: ast.AST) -> list[int]:
    inner = frozenset(line for each in _within(node) for line in _span(each))
    return [line for line in lines if line not in inner]


def _span(node: ast.AST) -> range:
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.end_lineno is not None
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return range(first, node.end_lineno + 1)


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """The functions and classes that a node defines, without those within these."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child
        else:
            yield from _within(child)


def _functions(node: ast.AST, scope: str) -> Iterator[tuple[str, ast.AST]]:
    """All functions, by qualified name."""
    for child in _within(node):
        assert isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        is_class = isinstance(child, ast.ClassDef)
        if not is_class:
            yield scope + child.name, child
        yield from _functions(child, f"{scope}{child.name}.{'' if is_class else '<locals>.'}")
