"""Jupyter's notebooks as text: where the source of each cell is in the JSON, and how another one is put there."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from jaxfix.source.edits import Span
from jaxfix.source.errors import ForeignNotebookError, SourceError
from jaxfix.source.frozen import frozen

_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(r"[ \t\n\r]*")
_PYTHON = re.compile(r"(?:i|x)?python[\d.]*", re.IGNORECASE)
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]")
_DECODER = json.JSONDecoder()


@frozen
class Literals:
    """How one source is in the text, in characters.

    Attributes:
      span: the string, or the list with its brackets; None where the cell has none.
      strings: each string with its quotes.
      is_list: whether they are in a list.
    """

    span: Span | None
    strings: tuple[Span, ...]
    is_list: bool


@frozen
class Ipynb:
    """The JSON around the cells of code.

    Attributes:
      sources: of each cell of code, in order; None for one in another language than Python.
      literals: where each of them is.
      formats: what jupytext pairs the notebook with, as its metadata has it; None for nothing.
    """

    sources: tuple[str | None, ...]
    literals: tuple[Literals, ...]
    formats: str | None = None

    @property
    def lines(self) -> None:
        """Lines count by cells."""

    def written(self, raw: bytes, changed: Mapping[int, str]) -> bytes:
        """The bytes of the notebook with other sources; all that is not in a line of theirs stays.

        Args:
          raw: the bytes that it was read from.
          changed: the new sources, by the number of the cell of code, from 1.
        """
        if not changed:
            return raw
        mark = _BOM if raw.startswith(_BOM) else b""
        text = raw[len(mark) :].decode()
        usual = _usual_escapes(text[s.start : s.end] for literals in self.literals for s in literals.strings)
        pieces, at = [], 0
        for number, source in sorted(changed.items()):
            literals = self.literals[number - 1]
            assert literals.span is not None  # a cell without a source has no statement to change
            pieces += [text[at : literals.span.start], _rewritten(text, literals, source, usual)]
            at = literals.span.end
        return mark + "".join((*pieces, text[at:])).encode()


def read(path: str, raw: bytes) -> Ipynb:
    """Reads a notebook of format 3 or 4.

    Raises:
      ForeignNotebookError: it is in another language than Python.
      SourceError: it is not a notebook.
    """
    if not raw.strip():
        raise SourceError(path, "is empty, and no notebook")
    try:
        reader = _Reader(raw.removeprefix(_BOM).decode())
        reader.document()
    except UnicodeDecodeError as error:
        raise SourceError(path, f"cannot be decoded: {error}") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SourceError(path, f"is not a notebook: not valid JSON: {place}: {error.msg.lower()}") from error
    except RecursionError as error:
        raise SourceError(path, "is not a notebook: nested too deeply") from error
    except _NoNotebook as error:
        raise SourceError(path, f"is not a notebook: {error}") from error
    if reader.version is not None and reader.version < 3:
        hint = "bring it up to date with `jupyter nbconvert --to notebook --inplace`"
        raise SourceError(
            path, f"is a notebook of format {reader.version}, and 3 is the oldest that is read", hint=hint
        )
    language = _language(reader.metadata)
    if language is not None and _PYTHON.fullmatch(language) is None:
        raise ForeignNotebookError(path, f"is a notebook of {language}: there is no Python to look at")
    for source in reader.sources:
        _check_text(path, source)
    return Ipynb(tuple(reader.sources), tuple(reader.literals), _formats(reader.metadata))


class _NoNotebook(Exception):
    """Why a JSON document is none."""


@dataclass(slots=True)
class _Reader:
    """Goes through the document once; all but the way to the sources is skipped by the decoder, at its speed."""

    text: str
    at: int = 0
    version: int | None = None
    metadata: object = None
    has_cells: bool = False
    sources: list[str | None] = field(default_factory=list)
    literals: list[Literals] = field(default_factory=list)

    def document(self) -> None:
        if self._next() != "{":
            self._value()
            raise _NoNotebook("it is not an object with cells")
        for key in self._members():
            if key == "nbformat":
                version = self._value()
                self.version = version if isinstance(version, int) else None
            elif key == "metadata":
                self.metadata = self._value()
            elif key == "cells":
                self._cells()
            elif key == "worksheets":
                for _ in self._items():
                    self._sheet()
            else:
                self._value()
        self._space()
        if self.at != len(self.text):
            raise json.JSONDecodeError("Extra data", self.text, self.at)
        if not self.has_cells:
            raise _NoNotebook("it has no cells")

    def _sheet(self) -> None:
        for key in self._members():
            if key == "cells":
                self._cells()
            else:
                self._value()

    def _cells(self) -> None:
        self.has_cells = True
        for _ in self._items():
            self._cell()

    def _cell(self) -> None:
        kind: object = None
        language: object = None
        source, literals = "", Literals(None, (), False)
        for key in self._members():
            if key in ("source", "input"):
                source, literals = self._source()
                continue
            value = self._value()
            if key == "cell_type":
                kind = value
            elif key == "language":
                language = value
            elif key == "metadata":
                language = _at(value, "vscode", "languageId") or language
        if kind == "code":
            is_python = not isinstance(language, str) or _PYTHON.fullmatch(language) is not None
            is_python = is_python or source.lstrip().startswith("%%")  # what the kernel makes of it is the magic's
            self.sources.append(source if is_python else None)
            self.literals.append(literals)

    def _source(self) -> tuple[str, Literals]:
        start = self._after_space()
        if self._next() == '"':
            value = str(self._value())
            return value, Literals(Span(start, self.at), (Span(start, self.at),), False)
        if self._next() != "[":
            raise _NoNotebook("the source of a cell is not a string")
        parts: list[str] = []
        spans: list[Span] = []
        for _ in self._items():
            begin = self._after_space()
            part = self._value()
            if not isinstance(part, str):
                raise _NoNotebook("the source of a cell is not a string")
            parts.append(part)
            spans.append(Span(begin, self.at))
        return "".join(parts), Literals(Span(start, self.at), tuple(spans), True)

    # --- JSON -------------------------------------------------------------------------------------------------

    def _members(self) -> Iterator[str]:
        """The keys of the object that begins here; the caller reads the value of each."""
        self._expect("{")
        if self._next() == "}":
            self._expect("}")
            return
        while True:
            if self._next() != '"':
                raise json.JSONDecodeError("Expecting property name enclosed in double quotes", self.text, self.at)
            key = str(self._value())
            self._expect(":")
            yield key
            if self._expect(",}") == "}":
                return

    def _items(self) -> Iterator[None]:
        """One turn for each item of the list that begins here; the caller reads it."""
        self._expect("[")
        if self._next() == "]":
            self._expect("]")
            return
        while True:
            yield
            if self._expect(",]") == "]":
                return

    def _value(self) -> object:
        value, self.at = _DECODER.raw_decode(self.text, self._after_space())
        return value

    def _expect(self, characters: str) -> str:
        found = self._next()
        if not found or found not in characters:
            raise json.JSONDecodeError(f"Expecting '{characters[0]}'", self.text, self.at)
        self.at += 1
        return found

    def _next(self) -> str:
        start = self._after_space()
        return self.text[start : start + 1]

    def _space(self) -> None:
        self._after_space()

    def _after_space(self) -> int:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at


def _language(metadata: object) -> str | None:
    """The language of the kernel; None where nothing says that it is not Python."""
    said = _at(metadata, "kernelspec", "language") or _at(metadata, "language_info", "name")
    return said if isinstance(said, str) else None


def _formats(metadata: object) -> str | None:
    said = _at(metadata, "jupytext", "formats")
    return said if isinstance(said, str) else None


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _check_text(path: str, source: str | None) -> None:
    try:
        (source or "").encode()
    except UnicodeEncodeError as error:
        raise SourceError(path, f"{error.object[error.start]!r} in the source of a cell is half a character") from error


# --- writing ----------------------------------------------------------------------------------------------------------


def _rewritten(text: str, literals: Literals, source: str, usual: Mapping[str, str]) -> str:
    """The JSON of the new source, in the way of the old one; the strings of lines that stay are the old ones."""
    old = [text[span.start : span.end] for span in literals.strings]
    if not literals.is_list:
        raw = _raw_lines(old[0][1:-1])
        kept = _lined([_decoded(line) for line in raw], raw, _keep_ends(source), usual, quote="")
        return f'"{"".join(string for string, _ in kept)}"'
    assert literals.span is not None
    values = [_decoded(string[1:-1]) for string in old]
    new = _chunks(values, source)
    kept = _lined(values, old, new, usual, quote='"')
    return _list(text, literals, kept)


def _list(text: str, literals: Literals, kept: Sequence[tuple[str, int | None]]) -> str:
    """A list of strings, each with the number of its old one; text between them is kept."""
    assert literals.span is not None
    spans = literals.strings
    if not kept:
        return "[]"
    opening = text[literals.span.start : spans[0].start] if spans else "["
    closing = text[spans[-1].end : literals.span.end] if spans else "]"
    gaps = [text[one.end : two.start] for one, two in pairwise(spans)]
    usual = gaps[0] if gaps else f",{opening[1:] or ' '}"
    parts = [opening, kept[0][0]]
    for string, number in kept[1:]:
        parts += [gaps[number - 1] if number else usual, string]
    return "".join((*parts, closing))


def _chunks(values: Sequence[str], source: str) -> list[str]:
    """The new source in pieces as the old one is: lines as Python's `splitlines` has them, or as `\\n` ends them."""
    plain = _keep_ends("".join(values)) == list(values)
    return _keep_ends(source) if plain else source.splitlines(keepends=True)


def _keep_ends(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _lined(
    old: Sequence[str], raw: Sequence[str], new: Sequence[str], usual: Mapping[str, str], *, quote: str
) -> list[tuple[str, int | None]]:
    """Each of the `new` lines as JSON: the `raw` text of the `old` line that it is, with its number, or a new one."""
    from difflib import SequenceMatcher  # only where something is written

    found: list[tuple[str, int | None]] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal":
            found += [(raw[number], number) for number in range(start, end)]
        else:
            escapes = {**usual, **_escapes(raw[start:end])}
            found += [(f"{quote}{_encoded(line, escapes)}{quote}", None) for line in new[first:last]]
    return found


def _raw_lines(raw: str) -> list[str]:
    """The parts of a string's text that stand for its lines."""
    lines = [""]
    for found in _ESCAPE.finditer(raw):
        lines[-1] += found[0]
        if found[0] in ("\\n", "\\u000a", "\\u000A"):
            lines.append("")
    return lines if lines[-1] else lines[:-1]


def _decoded(raw: str) -> str:
    value: str = json.loads(f'"{raw}"', strict=False)
    return value


def _escapes(raws: Iterable[str]) -> dict[str, str]:
    """The characters that are escaped in the text of strings, and how."""
    found: dict[str, str] = {}
    for raw in raws:
        for match in _ESCAPE.finditer(raw):
            if match[0].startswith("\\"):
                found[_decoded(match[0])] = match[0]
    return found


def _usual_escapes(raws: Iterable[str]) -> dict[str, str]:
    """As `_escapes`, without what is as often as not written as it is; the key `` tells how others are escaped."""
    every = "".join(raws)
    found = _escapes([every]) if "\\" in every else {}
    bare = frozenset(re.sub(r"\\u[0-9a-fA-F]{4}|\\.", "", every))
    usual = {character: escape for character, escape in found.items() if character not in bare}
    if any(character > "\x7f" for character in usual) and not any(character > "\x7f" for character in bare):
        digits = "".join(escape[2:] for escape in usual.values() if escape.startswith("\\u"))
        usual[""] = "upper" if re.search("[A-F]", digits) else "lower"
    return usual


def _encoded(line: str, escapes: Mapping[str, str]) -> str:
    """The line as the text of a JSON string, without its quotes."""
    return "".join(_character(character, escapes) for character in line)


def _character(character: str, escapes: Mapping[str, str]) -> str:
    if character in escapes:
        return escapes[character]
    if character in '"\\' or character < " ":
        return json.dumps(character)[1:-1]
    if character > "\x7f" and "" in escapes:
        escaped = json.dumps(character)[1:-1]
        return escaped if escapes[""] == "lower" else re.sub(r"u(\w{4})", lambda m: f"u{m[1].upper()}", escaped)
    return character
