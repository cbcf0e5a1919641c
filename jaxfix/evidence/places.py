"""Which lines of a run are those of one fix, where several rewrite the same function."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from difflib import SequenceMatcher

from jaxfix.evidence.changed import MODULE
from jaxfix.report.measurement import Compile, Spent
from jaxfix.source.errors import SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

_CELL = re.compile(r"(?<=\.ipynb):cell \d+$")
_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Key = tuple[str, str]
"""The path and the key of a fix."""
Lines = tuple[frozenset[int], frozenset[int]]
"""Of the text without a fix, and of the one with it; from 1."""


@frozen
class Place:
    """A function of a text that is run, or lines of it.

    Attributes:
      qualname: of the function; None for whichever it is.
      lines: from 1; None for all.
    """

    path: str
    qualname: str | None
    lines: frozenset[int] | None = None

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
        if self.qualname not in (None, where) or not (file == self.path or file.endswith(f"/{self.path}")):
            return False
        return self.lines is None or int(line) in self.lines

    def encloses(self, other: "Place") -> bool:
        """Whether code of the other function runs in calls of this one, as far as their names say."""
        is_within = self.qualname == MODULE or f"{other.qualname}".startswith(f"{self.qualname}.<locals>.")
        return self != other and self.path == other.path and is_within


@frozen
class Own:
    """The lines and functions of one fix, and those of the others.

    Attributes:
      function: that the fix is in.
      gone: what it replaces of the original, or all of a function that it alone rewrites.
      others: the same of each other fix.
      made: what each other fix has made, or all of its function.
      shared: what others replace of the original, as far as their lines are known.
      sharing: what others have made, as far as that.
      functions: those of all fixes, the ones that were dropped among them.
    """

    function: Place
    gone: Place
    others: tuple[Place, ...] = ()
    made: tuple[Place, ...] = ()
    shared: tuple[Place, ...] = ()
    sharing: tuple[Place, ...] = ()
    functions: tuple[Place, ...] = ()


def own(
    key: Key, functions: Mapping[Key, Place], lines: Mapping[Key, Lines], staging: Collection[Key] = ()
) -> Own | None:
    """The part of the runs that belongs to the fix; None where only unknown lines could decide it.

    Args:
      functions: of all fixes.
      lines: of those of which they are known, and no other's.
      staging: those that only put lines under `jit`: what their functions call from other lines does what it did.
    """
    function = functions[key]
    others = [other for other in functions if other != key]
    ours = [other for other in others if functions[other] == function]
    if ours and not lines.keys() >= {key, *ours}:
        return None
    apart = {other for other in others if other in ours or other in staging or functions[other].encloses(function)}
    by_line = apart & lines.keys()
    parts = [_lines(other, lines[other]) if other in by_line else (functions[other],) * 2 for other in others]
    known = [_lines(other, lines[other]) for other in others if other in lines]
    sides = [tuple(part[side] for part in some) for some in (parts, known) for side in (0, 1)]
    gone = _lines(key, lines[key])[0] if ours else function
    before, after, shared, sharing = sides
    return Own(function, gone, before, after, shared, sharing)


def _lines(key: Key, lines: Lines) -> tuple[Place, Place]:
    return Place(key[0], None, lines[0]), Place(key[0], None, lines[1])


def told_apart(lines: Mapping[Key, Lines]) -> dict[Key, Lines]:
    """The lines of each fix without those of fixes that need it; nothing of fixes that still share one."""
    found = {key: _without_smaller(key, lines) for key in lines}
    return {
        key: mine
        for key, mine in found.items()
        if not any(_meet(mine, found[other]) for other in found if other != key and other[0] == key[0])
    }


def _without_smaller(key: Key, lines: Mapping[Key, Lines]) -> Lines:
    """A fix that is made only where another one is takes its lines from it."""
    gone, made = lines[key]
    for other, (less, fewer) in lines.items():
        if other[0] == key[0] and (less | fewer) and less <= lines[key][0] and fewer < lines[key][1]:
            gone, made = gone - less, made - fewer
    return gone, made


def _meet(one: Lines, other: Lines) -> bool:
    return bool(one[0] & other[0] or one[1] & other[1])


def replaced(old: bytes, new: bytes, path: str) -> Lines | None:
    """The lines that only the old text has, and those that only the new one has, each in its function; no empty ones.

    A line that moves to another function is gone from the one and made in the other. None where a text cannot be read,
    and of notebooks, whose lines are counted cell by cell.
    """
    before, after = (_functions(path, text) for text in (old, new))
    if before is None or after is None or path.endswith(".ipynb"):
        return None
    texts = old.splitlines(), new.splitlines()
    gone, made = set[int](), set[int]()
    for name in before.keys() | after.keys():
        sides = before.get(name, []), after.get(name, [])
        numbers = [[at for at in each if text[at - 1].strip()] for text, each in zip(texts, sides, strict=True)]
        written = [[text[number - 1].strip() for number in each] for text, each in zip(texts, numbers, strict=True)]
        for code, first, last, start, end in SequenceMatcher(None, written[0], written[1], False).get_opcodes():
            if code != "equal":
                gone.update(numbers[0][first:last])
                made.update(numbers[1][start:end])
    return frozenset(gone), frozenset(made)


def _functions(path: str, text: bytes) -> dict[str, list[int]] | None:
    """The lines of each function, without those of the functions and classes within it."""
    try:
        tree: ast.AST = ast.parse(SourceFile.decode(path, text).text)
    except (SourceError, SyntaxError, ValueError):
        return None
    found: dict[str, list[int]] = {}
    for name, lines in _parts_of(tree, MODULE, range(1, len(text.splitlines()) + 1)):
        found.setdefault(name, []).extend(lines)
    return found


def _parts_of(node: ast.AST, name: str, lines: range) -> Iterator[tuple[str, list[int]]]:
    within = list(_within(node))
    inner = frozenset(line for each in within for line in _span(each))
    yield name, [line for line in lines if line not in inner]
    separator = "." if isinstance(node, ast.ClassDef) else ".<locals>."
    for each in within:
        scope = "" if name == MODULE else f"{name}{separator}"
        yield from _parts_of(each, f"{scope}{each.name}", _span(each))


def _span(node: _DEFINITIONS) -> range:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return range(first, (node.end_lineno or node.lineno) + 1)


def _within(node: ast.AST) -> Iterator[_DEFINITIONS]:
    """The functions and classes that a node defines, without those within these."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _DEFINITIONS):
            yield child
        else:
            yield from _within(child)
