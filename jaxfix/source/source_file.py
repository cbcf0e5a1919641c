"""One source file: its bytes, decoded once; encoding, byte order mark and newlines remembered."""

import codecs
import hashlib
import os
import re
import sys
import tokenize
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from jaxfix.source.edits import Edit, LineIndex, apply_edits, shown_place
from jaxfix.source.errors import BugError, SourceError
from jaxfix.source.imports import imports
from jaxfix.source.tokens import tokens

if TYPE_CHECKING:
    from jaxfix.source.notebook.cells import Notebook

NOTEBOOK = ".ipynb"
DOCUMENTS = (".md", ".markdown", ".rmd", ".qmd")
"""Suffixes, in lower case, of Markdown whose blocks of Python are the cells of a notebook."""


class Around(Protocol):
    """The file around the cells of a notebook.

    Attributes:
      sources: of each cell of code, in order; None for one in another language than Python.
      lines: the line of the file on which each of them begins; None where lines count from the start of their cell.
      formats: what jupytext pairs the file with, in its words; None for nothing.
    """

    @property
    def sources(self) -> Sequence[str | None]: ...

    @property
    def lines(self) -> Sequence[int] | None: ...

    @property
    def formats(self) -> str | None: ...

    def written(self, raw: bytes, changed: Mapping[int, str]) -> bytes:
        """The bytes of the file, which were `raw`, with other sources by the number of their cell, from 1."""
        ...


@dataclass(frozen=True)
class SourceFile:
    """A Python source.

    Attributes:
      path: as it is shown to people and written in reports.
      raw: the bytes of the file.
      text: the same as UTF-8, without byte order mark; newlines are untouched. All spans count in these bytes.
      encoding: as declared (PEP 263) or `utf-8`.
      bom: whether `raw` begins with a UTF-8 byte order mark.
      notebook: the cells that `text` is made of; None for a plain source.
      around: the file that the cells stand in; None for a plain source, and for cells that come one by one.
    """

    path: str
    raw: bytes
    text: bytes
    encoding: str
    bom: bool
    notebook: "Notebook | None" = None
    around: Around | None = None

    @classmethod
    def decode(cls, path: str, raw: bytes) -> "SourceFile":
        """Reads the encoding of `raw` as Python itself does; of a notebook, by the name of `path`, the cells of code.

        Raises:
          ForeignNotebookError: it is a notebook without Python.
          SourceError: the declared encoding is unknown, or does not fit the bytes.
        """
        if is_notebook(path):
            return cls._notebook(path, raw)
        if _is_plain(raw):
            return cls(path, raw, raw, "utf-8", False)
        bom = raw.startswith(codecs.BOM_UTF8)
        body = raw[len(codecs.BOM_UTF8) :] if bom else raw
        try:
            declared, _ = tokenize.detect_encoding(_first_lines(raw))
            declared = "utf-8" if declared == "utf-8-sig" else declared  # the mark is remembered by itself
            text = body if declared == "utf-8" else body.decode(declared).encode()
            text.decode()
        except (SyntaxError, UnicodeError, LookupError) as error:
            raise SourceError(path, f"cannot be decoded: {error}") from error
        source = cls(path, raw, text, declared, bom)
        if source.encode(text) != raw:
            raise SourceError(path, f"does not survive a round trip through {declared}")
        return source

    @classmethod
    def of_cells(cls, path: str, sources: Sequence[str | None]) -> "SourceFile":
        """A notebook whose cells of code come one by one; None for one in another language than Python."""
        from jaxfix.source.notebook.cells import Notebook  # of no use to most runs

        notebook = Notebook.of_cells(sources)
        return cls(path, notebook.text, notebook.text, "utf-8", False, notebook)

    @classmethod
    def _notebook(cls, path: str, raw: bytes) -> "SourceFile":
        from jaxfix.source.notebook import ipynb, markdown
        from jaxfix.source.notebook.cells import Notebook

        around: Around = ipynb.read(path, raw) if path.endswith(NOTEBOOK) else markdown.read(path, raw)
        notebook = Notebook.of_cells(around.sources)
        return cls(path, raw, notebook.text, "utf-8", raw.startswith(codecs.BOM_UTF8), notebook, around)

    # --- changes ----------------------------------------------------------------------------------------------

    def edited(self, edits: Iterable[Edit]) -> "SourceFile":
        """The same file after `edits` of `text`.

        Raises:
          SourceError: the file has no place for what they make: a character, a line of a notebook.
        """
        if self.notebook is None:
            return self.with_text(apply_edits(self.text, edits))
        changed = self.notebook.edited(edits, self.path)
        if self.around is None:
            notebook = self.notebook.with_sources(changed)
            return SourceFile(self.path, notebook.text, notebook.text, self.encoding, self.bom, notebook)
        after = SourceFile.decode(self.path, self.around.written(self.raw, changed))
        if after.notebook is None or after.notebook.cells != self.notebook.with_sources(changed).cells:
            raise BugError(f"{self.path}: what was written into it is not what is read from it")
        return after

    def says_as(self, other: "SourceFile") -> bool:
        """Whether both say the same, however that is written in the JSON of a notebook."""
        if self.notebook is None or other.notebook is None:
            return self.raw == other.raw
        mine, theirs = (file.notebook.cells if file.notebook else () for file in (self, other))
        is_same = [cell.source for cell in mine] == [cell.source for cell in theirs]
        return is_same and self._without_sources() == other._without_sources()

    def _without_sources(self) -> bytes:
        cells = self.notebook.cells if self.notebook is not None else ()
        empty = {cell.number: "" for cell in cells if cell.source}
        return self.around.written(self.raw, empty) if self.around is not None else b""

    def refuse(self, edits: Iterable[Edit]) -> None:
        """Raises SourceError if the file has no place for what `edits` of `text` make."""
        if self.notebook is not None:
            self.notebook.edited(edits, self.path)
        else:
            self.encode(apply_edits(self.text, edits))

    def encode(self, text: bytes) -> bytes:
        """The bytes to write for `text` (UTF-8) in this file's encoding; a notebook is `edited`.

        Raises:
          SourceError: the encoding has no place for a character of `text`.
        """
        if self.notebook is not None:
            raise BugError(f"{self.path}: the text of a notebook does not tell which cell a line belongs to")
        body = text
        if self.encoding != "utf-8":
            try:
                body = text.decode().encode(self.encoding)
            except UnicodeEncodeError as error:
                raise SourceError(
                    self.path, f"{error.object[error.start]!r} has no place in {self.encoding}"
                ) from error
        return codecs.BOM_UTF8 + body if self.bom else body

    def with_text(self, text: bytes) -> "SourceFile":
        """The same file with other contents."""
        return SourceFile(self.path, self.encode(text), text, self.encoding, self.bom)

    def loaded(self) -> "SourceFile":
        """The file with its text at hand."""
        return self

    @cached_property
    def digest(self) -> bytes:
        """Of the bytes of the file."""
        return hashlib.sha256(self.raw).digest()

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """The dotted names that it imports as soon as it is imported itself, as its lines tell."""
        found = (target for each in imports(self.text) if each.is_at_once for target in each.targets)
        return tuple(map(sys.intern, dict.fromkeys(found)))  # many files name the same

    @property
    def size(self) -> int:
        """The bytes of the text, or about so many."""
        return len(self.text)

    @property
    def original(self) -> bytes:
        """The text as a person reads it: in a notebook with the lines that are no Python, in the same places."""
        return self.text if self.notebook is None else self.notebook.original

    # --- places -----------------------------------------------------------------------------------------------

    def place(self, line: int) -> tuple[int | None, int]:
        """Where a line of `text` is in the file: in which cell, if lines count by cells there, and its line."""
        if self.notebook is None:
            return None, line
        cell, inside = self.notebook.place(line)
        begins = self.around.lines if self.around is not None else None
        return (cell, inside) if begins is None else (None, begins[cell - 1] + inside - 1)

    def line_at(self, cell: int | None, line: int) -> int:
        """The line of `text` that is in the file at what `place` tells; the first where there is no code."""
        if self.notebook is None:
            return line
        begins = self.around.lines if self.around is not None else None
        if begins is not None:
            cell = bisect_right(begins, line)
            line -= begins[cell - 1] - 1
        return self.notebook.line(cell or 1, line) or 1

    def placed(self, message: str) -> str:
        """The message, in which a line that is not in quotes is one of `text`, with lines of the file."""
        if self.notebook is None:
            return message
        parts = message.split("`")
        parts[::2] = [_NUMBERED.sub(self._named, part) for part in parts[::2]]
        return "`".join(parts)

    def shown(self, line: int) -> str:
        """The place of a line of `text`: `train.py:3`, or `train.ipynb:cell 2:3`."""
        return shown_place(self.path, *self.place(line))

    def _named(self, found: re.Match[str]) -> str:
        cell, line = self.place(int(found[1]))
        return f"line {line}" if cell is None else f"cell {cell}, line {line}"

    @cached_property
    def holds_tests(self) -> bool:
        """Whether it has a name that test runners look for, or is among tests and defines some."""
        return is_named_as_test(self.path) or (
            not _FOLDERS.isdisjoint(self.path.replace("\\", "/").split("/")) and _TEST.search(self.text) is not None
        )

    @cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.text)

    @cached_property
    def newline(self) -> str:
        """The newline that most lines of the file end with."""
        text = self.text
        if self.notebook is not None:  # what keeps its cells apart is not its own
            text = b"".join(cell.masked.text for cell in self.notebook.cells)
        crlf = text.count(b"\r\n")
        counts = {"\n": text.count(b"\n") - crlf, "\r\n": crlf, "\r": text.count(b"\r") - crlf}
        return max(counts, key=lambda newline: counts[newline])

    @cached_property
    def indent(self) -> str:
        """One level of indentation: that of most blocks, four spaces if there are none."""
        seen: Counter[str] = Counter()
        levels = [""]
        for token in tokens(self.text):
            if token.kind == "INDENT":
                seen[token.text.removeprefix(levels[-1])] += 1
                levels.append(token.text)
            elif token.kind == "DEDENT":
                levels.pop()
        return seen.most_common(1)[0][0] if seen else " " * 4


def is_notebook(path: str) -> bool:
    """Whether a file of this name holds its Python in cells."""
    return path.endswith(NOTEBOOK) or path.lower().endswith(DOCUMENTS)


def is_named_as_test(path: str) -> bool:
    """Whether test runners look into a file of this name."""
    name = os.path.basename(path)
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"


def _is_plain(raw: bytes) -> bool:
    """Whether the file is ASCII, and declares nothing: most are, and nothing needs to be decoded."""
    return raw.isascii() and b"coding" not in raw[: raw.find(b"\n", raw.find(b"\n") + 1)]


_FOLDERS = frozenset({"test", "tests"})
_TEST = re.compile(rb"^(class Test|(async )?def test_)", re.MULTILINE)
_NUMBERED = re.compile(r"\bline (\d+)\b")
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)")


def _first_lines(raw: bytes) -> Callable[[], bytes]:
    """The two lines that can declare an encoding; `tokenize` would not end them at a `\r`."""
    first = _LINE.match(raw)
    second = _LINE.match(raw, first.end()) if first is not None else None
    return iter([match[1] + b"\n" for match in (first, second) if match is not None]).__next__
