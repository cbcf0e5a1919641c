"""Places in a text, and changes to it. Offsets are bytes of UTF-8, as `ast` gives them."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from jaxfix.source.errors import BugError


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The half-open range of bytes `[start, end)`; empty for a place between two bytes."""

    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Whether edits of both spans depend on their order; two insertions at one place do."""
        if self == other:
            return True
        return self.start < other.end and other.start < self.end

    def contains(self, other: "Span") -> bool:
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replaces the bytes of `span` by `text`."""

    span: Span
    text: str


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes after all `edits`, each of which speaks of the original `data`.

    The order of `edits` does not matter, and an edit given twice is made once.

    Raises:
      BugError: two different edits overlap, or one lies outside of `data`.
    """
    pieces: list[bytes] = []
    position = 0
    previous: Edit | None = None
    for edit in sorted(set(edits)):
        if previous is not None and previous.span.overlaps(edit.span):
            raise BugError(f"edits overlap: {previous} and {edit}")
        if edit.span.start < position or edit.span.end > len(data):
            raise BugError(f"edit outside of the text: {edit}")
        pieces += (data[position : edit.span.start], edit.text.encode())
        position = edit.span.end
        previous = edit
    pieces.append(data[position:])
    return b"".join(pieces)


class LineIndex:
    """Translates byte offsets of a UTF-8 text to lines and columns, and back.

    Lines count from 1, as `ast` counts them: they end at `\\n`, `\\r\\n` or `\\r`, not at a form feed.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts = [0, *accumulate(map(len, data.splitlines(keepends=True)))]

    def line(self, offset: int) -> int:
        """The line that holds the byte at `offset`."""
        return min(bisect_right(self._starts, offset), max(len(self._starts) - 1, 1))

    def line_start(self, line: int) -> int:
        """The offset of the first byte of `line`; of the end of the text for the line after the last."""
        return self._starts[min(line, len(self._starts)) - 1]

    def offset(self, line: int, byte_column: int) -> int:
        """The offset of `byte_column` (from 0, in bytes, as `ast.col_offset`) in `line`."""
        return self.line_start(line) + byte_column

    def column(self, offset: int) -> int:
        """The column at `offset`, from 1, in code points."""
        return len(self._before(offset)) + 1

    def utf16_column(self, offset: int) -> int:
        """The column at `offset`, from 0, in UTF-16 code units, as editors count by default."""
        return len(self._before(offset).encode("utf-16-le")) // 2

    def _before(self, offset: int) -> str:
        return self._data[self.line_start(self.line(offset)) : offset].decode()


def shown_place(path: str, cell: int | None, line: int) -> str:
    """A line as it is shown: `train.py:3`, or `train.ipynb:cell 2:3`."""
    return f"{path}:{line}" if cell is None else f"{path}:cell {cell}:{line}"
