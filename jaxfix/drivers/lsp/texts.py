"""The texts that an editor holds, line by line as the protocol counts them, and columns in the units agreed on."""

import re
import tokenize
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from jaxfix.source.edits import LineIndex, Span
from jaxfix.source.source_file import SourceFile

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_TWO_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?[^\r\n]*")
_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Text(TextDocument):
    """A text whose lines end at `\\r\\n`, `\\n` and `\\r`, and not also at form feeds and the like.

    `opening` is another one each time that it is opened, as versions start again.
    """

    opening: int = 0

    @property
    def lines(self) -> Sequence[str]:
        return tuple(_LINE.findall(self.source))


class Texts(Workspace):
    """The open texts."""

    _opened = 0

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> Text:
        codec, kind = self._position_codec, self._sync_kind
        text = Text(doc_uri, source, version, language_id, sync_kind=kind, position_codec=codec)
        self._opened = text.opening = self._opened + 1
        return text


def source_of(path: str, text: str) -> SourceFile:
    """The text of an editor as a source.

    Raises:
      SourceError: it holds what no file can.
    """
    return decoded(path, _encoded(text))


def decoded(path: str, raw: bytes) -> SourceFile:
    """The Python of `raw`, whatever the suffix of `path`: JupyterLab names all the code of a notebook as the notebook.

    Raises:
      SourceError: it cannot be decoded.
    """
    return replace(SourceFile.decode(f"{path}.py", raw), path=path)


def _encoded(text: str) -> bytes:
    """As the file would be written: an editor that shows it has decoded it."""
    raw = text.encode(errors="surrogatepass")
    head = _TWO_LINES.match(raw)
    if head is None or b"coding" not in head[0]:
        return raw
    try:
        declared, _ = tokenize.detect_encoding(iter(head[0].splitlines(keepends=True)).__next__)
        return raw if declared.startswith("utf-8") else text.encode(declared)
    except (SyntaxError, UnicodeError, LookupError):
        return raw


class Positions:
    """Places of one text, UTF-8, from bytes to the lines and columns of the client."""

    def __init__(self, text: bytes, encoding: str) -> None:
        self._text = text
        self._codec, self._width = _UNITS[encoding]

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self._text)

    def at(self, offset: int) -> types.Position:
        line = self._lines.line(offset)
        if offset == len(self._text) and self._text.endswith((b"\n", b"\r")):
            return types.Position(len(self._text.splitlines()), 0)
        before = self._text[self._lines.line_start(line) : offset]
        wide = len(before) if before.isascii() else len(before.decode().encode(self._codec)) // self._width
        return types.Position(line - 1, wide)

    def range(self, span: Span) -> types.Range:
        return types.Range(self.at(span.start), self.at(span.end))
