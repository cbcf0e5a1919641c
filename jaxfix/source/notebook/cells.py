"""A notebook as one module: the Python of its cells in order, and the way back from each place to its cell."""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from jaxfix.source.edits import Edit, Span, apply_edits
from jaxfix.source.errors import SourceError, no_python
from jaxfix.source.frozen import frozen
from jaxfix.source.notebook.magics import Masked, is_strange_call, masked, unknown_name

_APART = "\n\n\n"
"""What ends the last line of a cell, and keeps it apart from the next one; part of no cell."""
_LINE = re.compile(r"\bline (\d+)\b")
_CALLS = re.compile(r"\.(\w+)\(\s*(?:['\"]([^'\"\r\n]*)['\"])?|\.(user_(?:ns|global_ns|module))\b")
_RELOADS = re.compile(r"\b(?:auto)?reload\b|%aimport\b")
_WORD = re.compile(r"\w+")


@frozen
class Cell:
    """A cell of code.

    Attributes:
      number: from 1, among the cells of code.
      source: as the notebook has it.
      masked: as Python.
      span: where that is in the text of the module.
      line: the first line of it there, from 1.
      unknown: the name that stands for what magics give.
      is_python: whether its language is Python.
    """

    number: int
    source: str
    masked: Masked
    span: Span
    line: int
    unknown: str
    is_python: bool


@dataclass(frozen=True)
class Notebook:
    """The cells of code of a notebook, in order, and their Python as one module."""

    cells: tuple[Cell, ...]
    text: bytes

    @classmethod
    def of_cells(cls, sources: Sequence[str | None]) -> "Notebook":
        """The notebook of these cells of code.

        Args:
          sources: of each cell; None for one in another language than Python, which counts anyway.
        """
        unknown = unknown_name("\n".join(source for source in sources if source is not None))
        cells: list[Cell] = []
        parts: list[bytes] = []
        start, line = 0, 1
        for number, source in enumerate(sources, 1):
            own = masked(source or "", unknown, is_python=source is not None)
            span = Span(start, start + len(own.text))
            cells.append(Cell(number, source or "", own, span, line, unknown, source is not None))
            part = own.text + _APART.encode()
            parts.append(part)
            start, line = start + len(part), line + len(part.splitlines())
        return cls(tuple(cells), b"".join(parts))

    # --- places -----------------------------------------------------------------------------------------------

    def cell_at(self, offset: int) -> Cell:
        """The cell that holds the byte at `offset` of the text, or ends before it."""
        return self.cells[max(bisect_right(self._starts, offset) - 1, 0)]

    def place(self, line: int) -> tuple[int, int]:
        """The number of the cell in which a line of the text, from 1, stands, and its line there, from 1."""
        cell = self.cells[max(bisect_right(self._lines, line) - 1, 0)]
        return cell.number, line - cell.line + 1

    def line(self, cell: int, line: int) -> int | None:
        """The line of the text at which `line` of the cell with the number `cell` is; None if there is none."""
        if not 1 <= cell <= len(self.cells):
            return None
        last = max(len(self.cells[cell - 1].masked.text.splitlines()), 1)
        return self.cells[cell - 1].line + line - 1 if 1 <= line <= last else None

    @cached_property
    def _starts(self) -> list[int]:
        return [cell.span.start for cell in self.cells]

    @cached_property
    def _lines(self) -> list[int]:
        return [cell.line for cell in self.cells]

    def check(self, tree: ast.Module, path: str) -> None:
        """Raises SourceError where a statement goes on in the next cell: each cell is run by itself."""
        ends = [cell.line for cell in self.cells[1:]]
        for statement in tree.body:
            begins = min(node.lineno for node in (statement, *getattr(statement, "decorator_list", ())))
            number = bisect_right(ends, begins)
            if number < len(ends) and (statement.end_lineno or 0) >= ends[number]:
                cell, line = self.place(begins)
                raise SourceError(path, f"cell {cell}, line {line}: syntax error: it goes on in the next cell")

    def fault(self) -> str | None:
        """What is wrong with the first cell that is not Python, with the lines of the text; None if none is."""
        for cell in self.cells:
            try:
                ast.parse(cell.masked.text.decode())
            except SyntaxError as error:
                return _moved(no_python(error), cell.line - 1)
        return None

    @property
    def original(self) -> bytes:
        """The text with all that is not Python in it, byte for byte in the same places."""
        return b"".join(cell.source.encode() + _APART.encode() for cell in self.cells)

    # --- what is not part of the text --------------------------------------------------------------------------

    @cached_property
    def strange(self) -> str:
        """The code of its cells that may bind any variable; empty for none."""
        masked = [code for cell in self.cells for code in cell.masked.strange]
        calls = _CALLS.finditer(self.text.decode()) if b"get_ipython" in self.text else ()
        return "\n".join((*masked, *(call[0] for call in calls if call[3] or is_strange_call(call[1], call[2]))))

    @cached_property
    def hidden(self) -> str:
        """The code of its cells that runs and is not part of the text, `strange` included."""
        return "\n".join((self.strange, *(code for cell in self.cells for code in cell.masked.hidden)))

    @cached_property
    def reloads(self) -> bool:
        """Whether modules may be read again while it runs, as by `%autoreload`."""
        return any(_RELOADS.search(cell.source) for cell in self.cells)

    def may_use(self, name: str) -> bool:
        """Whether code that is not part of the text may read the variable."""
        return bool(self.strange) or name in _WORD.findall(self.hidden)

    def are_together(self, lines: Iterable[int]) -> bool:
        """Whether these lines of the text stand in one cell, and so are run together."""
        return len({self.place(line)[0] for line in lines}) <= 1

    # --- changes ----------------------------------------------------------------------------------------------

    def edited(self, edits: Iterable[Edit], path: str) -> dict[int, str]:
        """The new source of each cell, by its number, that `edits` of the text change.

        Raises:
          SourceError: they reach over the end of a cell, or change what is not Python.
        """
        own: dict[int, list[Edit]] = {}
        for edit in edits:
            cell, inside = self._inside(edit, path)
            own.setdefault(cell.number, []).append(inside)
        return {number: _edited(self.cells[number - 1], changes, path) for number, changes in sorted(own.items())}

    def with_sources(self, changed: Mapping[int, str]) -> "Notebook":
        """The notebook with other sources of the cells with these numbers."""
        return Notebook.of_cells(
            [changed.get(cell.number, cell.source) if cell.is_python else None for cell in self.cells]
        )

    def _inside(self, edit: Edit, path: str) -> tuple[Cell, Edit]:
        """The cell that `edit` belongs to, and the edit in bytes of it; its end may be that of the newline after it.

        Raises:
          SourceError: it belongs to several.
        """
        cell = self.cell_at(edit.span.start)
        start, end = edit.span.start, edit.span.end
        following = cell.span.end + len(_APART)
        if start > cell.span.end and end > following:  # begins in the gap before the next cell
            start = following
            cell = self.cell_at(start)
            following = cell.span.end + len(_APART)
        if end > following:
            last = self.cell_at(end).number
            raise SourceError(path, f"the rewrite reaches from cell {cell.number} into cell {last}")
        behind = cell.span.end + 1
        span = Span(min(start, behind) - cell.span.start, min(end, behind) - cell.span.start)
        return cell, Edit(span, edit.text)


def _moved(told: str, lines: int) -> str:
    """The message with the numbers of its lines raised."""
    return _LINE.sub(lambda found: f"line {int(found[1]) + lines}", told)


def _edited(cell: Cell, edits: Sequence[Edit], path: str) -> str:
    """The source of `cell` after `edits` of it.

    Raises:
      SourceError: they change what is not Python, or what is left would mean another thing.
    """
    for edit in edits:
        if _harms(cell, edit):
            raise SourceError(path, f"the rewrite would change a line of cell {cell.number} that is not Python")
    source = _trimmed(apply_edits(cell.source.encode() + b"\n", edits), cell.source.encode())
    text = _trimmed(apply_edits(cell.masked.text + b"\n", edits), cell.source.encode())
    if masked(source.decode(), cell.unknown).text != text:
        raise SourceError(path, f"a rewritten line of cell {cell.number} would be read as a magic")
    return source.decode()


def _harms(cell: Cell, edit: Edit) -> bool:
    """Whether `edit` changes what is not Python, or the line that it is in."""
    own, span = cell.masked, edit.span
    if span.start < own.head or not cell.is_python:
        return True
    for foreign in own.foreign:
        if span.start < foreign.end and foreign.start < span.end:
            return True
        begins, ends = _line_around(own.text, foreign)
        touches = begins < span.end and span.start < ends
        if touches and ("\n" in edit.text or b"\n" in own.text[span.start : span.end]):
            return True
        if span == Span(begins, begins) and edit.text and not edit.text.endswith("\n"):
            return True
        if span == Span(ends, ends) and edit.text and not edit.text.startswith(("\n", "\r")):
            return True
    return False


def _line_around(text: bytes, span: Span) -> tuple[int, int]:
    begins = text.rfind(b"\n", 0, span.start) + 1
    ends = text.find(b"\n", span.end)
    return begins, len(text) if ends < 0 else ends


def _trimmed(text: bytes, before: bytes) -> bytes:
    """`text` without the newline that stood after the cell, and without blank lines that were put at its ends."""
    text = text[:-1] if text.endswith(b"\n") else text
    if not before.startswith((b"\n", b"\r")):
        text = text.lstrip(b"\r\n")
    if not before.endswith((b"\n", b"\r")):
        text = text.rstrip(b"\r\n")
    return text
