"""What is analysed as one module: a text that is open, or the Python cells of a notebook, as it is at one moment."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from lsprotocol import types

from jaxfix.drivers.lsp.texts import Positions, Text, decoded, source_of
from jaxfix.report.report import Diagnostic, Related
from jaxfix.source.edits import Edit, Span
from jaxfix.source.errors import SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

Stamp = tuple[object, ...]


@frozen
class Piece:
    """A document of the client that is a part of the module.

    Attributes:
      span: where it is in the module, in bytes.
      text: its own, UTF-8; as long as `span`.
    """

    uri: str
    version: int | None
    span: Span
    text: bytes
    positions: Positions


@frozen
class Buffer:
    """A module as the editor holds it.

    Attributes:
      uri: of the document, or of the notebook.
      path: its file, which it need not agree with; None where it has none.
      stamp: the openings and the versions of its documents; travels as JSON.
    """

    uri: str
    path: Path | None
    stamp: Stamp
    source: SourceFile
    pieces: tuple[Piece, ...]

    @property
    def is_notebook(self) -> bool:
        return self.source.notebook is not None

    def says(self, raw: bytes) -> bool:
        """Whether a file of these bytes says the same; a byte order mark, which editors hide, is not part of that."""
        path = self.source.path
        try:
            other = SourceFile.decode(path, raw) if self.is_notebook else decoded(path, raw)
        except SourceError:
            return False
        return other.original == self.source.original

    def place(self, span: Span) -> tuple[Piece, types.Range] | None:
        """Where `span` is for the client, cut off at the end of the document that it begins in."""
        piece = next((p for p in reversed(self.pieces) if p.span.start <= span.start <= p.span.end), None)
        if piece is None:
            return None
        start = piece.span.start
        return piece, piece.positions.range(Span(span.start - start, min(span.end, piece.span.end) - start))

    def text_edits(self, edits: Sequence[Edit]) -> dict[str, list[types.TextEdit]]:
        """The edits by document.

        Raises:
          SourceError: one of them reaches over the end of a cell, or changes what is not Python.
        """
        if self.source.notebook is None:
            (piece,) = self.pieces
            return {piece.uri: _text_edits(piece, edits)}
        changed = self.source.notebook.edited(edits, self.source.path)
        cells = {self.source.notebook.cell_at(piece.span.start).number: piece for piece in self.pieces}
        found = {}
        for number, text in changed.items():
            piece = cells[number]
            found[piece.uri] = _text_edits(piece, tuple(by_lines(piece.text, text.encode())))
        return found

    def span(self, told: Diagnostic | Related) -> Span:
        """Where a finding, or what it has to do with, is, in bytes."""
        start = self._offset(told.cell, told.line, told.column)
        return Span(start, max(start, self._offset(told.cell, told.end_line, told.end_column)))

    def first_line(self, span: Span) -> Span:
        """As much of `span` as is on its first line: a mark under a whole loop says less than one under its head."""
        lines, text = self.source.lines, self.source.text
        end = lines.line_start(lines.line(span.start) + 1)
        if span.end <= end:
            return span
        return Span(span.start, span.start + len(text[span.start : end].rstrip()))

    def line_span(self, line: int) -> Span:
        """A line of the module, from 1, without the white space around it."""
        start, end = self.source.lines.line_start(line), self.source.lines.line_start(line + 1)
        text = self.source.text[start:end]
        first = start + len(text) - len(text.lstrip())
        return Span(min(first, start + len(text.rstrip())), start + len(text.rstrip()))

    def _offset(self, cell: int | None, line: int, column: int) -> int:
        lines, line = self.source.lines, self.source.line_at(cell, line)
        start = lines.line_start(line)
        text = self.source.text[start : lines.line_start(line + 1)]
        before = text[: column - 1] if text.isascii() else text.decode()[: column - 1].encode()
        return start + len(before)


def of_text(text: Text, path: Path | None, encoding: str) -> Buffer:
    """A text document, which is a module by itself.

    Raises:
      SourceError: it holds what no file can.
    """
    source = source_of(str(path) if path is not None else text.uri, text.source)
    piece = Piece(text.uri, text.version, Span(0, len(source.text)), source.text, Positions(source.text, encoding))
    return Buffer(text.uri, path, stamp_of_text(text), source, (piece,))


def stamp_of_text(text: Text) -> Stamp:
    return text.opening, text.version


def of_notebook(
    notebook: types.NotebookDocument, texts: Mapping[str, Text], path: Path | None, encoding: str
) -> Buffer:
    """The cells of code of a notebook, in order, as one module."""
    documents = code_of(notebook, texts)
    sources = [text.source if _is_python(text) else None for text in documents]
    source = SourceFile.of_cells(str(path) if path is not None else notebook.uri, sources)
    pieces = []
    assert source.notebook is not None
    for text, cell in zip(documents, source.notebook.cells, strict=True):
        if cell.is_python:
            own = text.source.encode(errors="surrogatepass")
            pieces.append(Piece(text.uri, text.version, cell.span, own, Positions(own, encoding)))
    return Buffer(notebook.uri, path, stamp_of_notebook(notebook, texts), source, tuple(pieces))


def stamp_of_notebook(notebook: types.NotebookDocument, texts: Mapping[str, Text]) -> Stamp:
    return tuple((text.uri, *stamp_of_text(text)) for text in code_of(notebook, texts))


def code_of(notebook: types.NotebookDocument, texts: Mapping[str, Text]) -> list[Text]:
    """The cells of code, in order."""
    cells = (cell for cell in notebook.cells if cell.kind == types.NotebookCellKind.Code)
    return [texts[cell.document] for cell in cells if cell.document in texts]


def by_lines(before: bytes, after: bytes) -> Iterator[Edit]:
    """Edits of whole lines that make one of the other."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Edit(Span(starts[a], starts[b]), b"".join(new[c:d]).decode())


def _is_python(text: Text) -> bool:
    return text.language_id in (None, "", "python")


def _text_edits(piece: Piece, edits: Sequence[Edit]) -> list[types.TextEdit]:
    return [types.TextEdit(piece.positions.range(edit.span), edit.text) for edit in edits]
