"""How a file is laid out, and text made to follow it: newlines, indentation, quotes, line length."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jaxfix.core.source import SourceFile
from jaxfix.core.text import LineIndex
from jaxfix.core.tokens import Token, tokens

_LIMITS = (80, 88, 100, 120)
_STRING = re.compile(r"([A-Za-z]*)('''|\"\"\"|'|\")")
_BLANK = re.compile(r"[ \t\f]*")


@dataclass(frozen=True, slots=True)
class Layout:
    """The habits of one file.

    Attributes:
      newline: what ends most of its lines.
      indent: one level of indentation.
      limit: the columns that its lines keep to; None if they keep to none.
      quote: the quote of most of its strings.
    """

    newline: str
    indent: str
    limit: int | None
    quote: str

    @classmethod
    def of(cls, source: SourceFile, found: Iterable[Token]) -> "Layout":
        return cls(source.newline, source.indent, _limit(source.text), _quote(found))

    def placed(self, text: str, indent: str, around: str = "") -> str:
        """`text`, with `\\n`, as it stands at a place that is indented by `indent`.

        The first line is left where it is. Lines copied from `around`, the text that is replaced, have their
        indentation already. The insides of strings never change.
        """
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        data = self._requoted(plain, around).encode()
        inside = frozenset(line for _, first, last in string_lines(data) for line in range(first + 1, last + 1))
        lines = data.decode().split("\n")
        unit = next((len(token.text) for token in tokens(data) if token.kind == "INDENT"), 4)
        for number, line in enumerate(lines[1:], 2):
            if number in inside or _is_copied(line, around):
                continue
            stripped = line.lstrip(" \t")
            levels, rest = divmod(len(line) - len(stripped), unit)
            lines[number - 1] = indent + self.indent * levels + " " * rest + stripped if stripped else ""
        return self.newline.join(lines)

    def fits(self, width: int) -> bool:
        return self.limit is None or width <= self.limit

    def fitted(self, text: str, indent: str) -> str:
        """Statements with the lines that would be too long at `indent` broken, if they are statements of their own."""
        lines = text.split("\n")
        starts = _logical_lines(text.encode())
        for number, line in enumerate(lines, 1):
            if (number, number) in starts and not self.fits(len(indent + line)):
                own = line.lstrip(" ")
                blanks = line[: len(line) - len(own)]
                lines[number - 1] = (folded(own) or own).replace("\n", "\n" + blanks)
                lines[number - 1] = blanks + lines[number - 1]
        return "\n".join(lines)

    def _requoted(self, text: str, around: str) -> str:
        if self.quote == '"':
            return text
        data, pieces, end = text.encode(), [], 0
        for token in tokens(data):
            if token.kind == "STRING" and _is_simple(token.text) and token.text not in around:
                pieces += [data[end : token.span.start].decode(), token.text.replace('"', "'")]
                end = token.span.end
        return "".join([*pieces, data[end:].decode()])


def string_lines(text: bytes) -> Iterator[tuple[Token, int, int]]:
    """The strings of `text` that span several lines, with their first and last line, from 1."""
    lines = LineIndex(text)
    for token in tokens(text):
        if token.kind == "STRING" and "\n" in token.text:
            yield token, lines.line(token.span.start), lines.line(token.span.end - 1)


def indentation(line: str) -> str:
    """The blanks that `line` begins with, after the last form feed among them."""
    match = _BLANK.match(line)
    return match[0].rpartition("\f")[2] if match else ""


def folded(text: str) -> str | None:
    """`text`, one line, broken inside its last outermost brackets, one level deeper; None if that cannot be."""
    data = text.encode()
    opening = closing = depth = 0
    for token in tokens(data):
        if token.kind == "OP" and token.text in "([{":
            opening = token.span.end if depth == 0 else opening
            depth += 1
        elif token.kind == "OP" and token.text in ")]}":
            depth -= 1
            closing = token.span.start if depth == 0 else closing
    if "\n" in text or not 0 < opening < closing:
        return None
    return f"{data[:opening].decode()}\n    {data[opening:closing].decode().strip()}\n{data[closing:].decode()}"


def _logical_lines(text: bytes) -> set[tuple[int, int]]:
    """The first and last line, from 1, of each logical line."""
    lines = LineIndex(text)
    found = set()
    first = None
    for token in tokens(text):
        if token.kind == "NEWLINE" and first is not None:
            found.add((first, lines.line(token.span.start)))
            first = None
        elif first is None and token.kind not in ("NL", "COMMENT", "INDENT", "DEDENT"):
            first = lines.line(token.span.start)
    return found


def _limit(text: bytes) -> int | None:
    widths = [len(line) for line in text.decode().splitlines()]
    allowed = len(widths) // 100  # addresses and the like
    return next((limit for limit in _LIMITS if sum(width > limit for width in widths) <= allowed), None)


def _quote(found: Iterable[Token]) -> str:
    matches = [_STRING.match(token.text) for token in found if token.kind == "STRING"]
    quotes = [match[2] for match in matches if match]
    return "'" if quotes.count("'") > quotes.count('"') else '"'


def _is_simple(literal: str) -> bool:
    return literal.startswith('"') and not literal.startswith('"""') and not set(literal[1:-1]) & set("'\"\\")


def _is_copied(line: str, around: str) -> bool:
    match = re.match(r"[ \t]*\S\w*", line)
    return match is not None and "\n" + match[0] in around.replace("\r\n", "\n").replace("\r", "\n")
