"""How a file is laid out, and text made to follow it: newlines, indentation, quotes, line length."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from jaxfix.rewrite.brackets import outermost, step
from jaxfix.source.edits import LineIndex, Span
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile
from jaxfix.source.tokens import Token, tokens

_LIMITS = (79, 80, 88, 100, 120)
_COMMON = 88
"""The default of formatters: short lines alone do not show that a file keeps to less."""
_STRING = re.compile(r"([A-Za-z]*)('''|\"\"\"|'|\")")
_BLANK = re.compile(r"[ \t\f]*")


@frozen
class Layout:
    """The habits of one file.

    Attributes:
      newline: what ends most of its lines.
      indent: one level of indentation.
      hanging: how much deeper lines stand that continue one inside brackets.
      limit: the columns of the project's formatter, else those that its code keeps to, comments and strings over
        lines apart; None if it keeps to none.
      quote: the quote of most of its strings.
    """

    newline: str
    indent: str
    hanging: str
    limit: int | None
    quote: str

    @classmethod
    def of(cls, source: SourceFile, found: Sequence[Token], columns: int | None = None) -> "Layout":
        indent = source.indent
        limit = columns or _limit(source, found)
        return cls(source.newline, indent, _hanging(source, found) or indent, limit, _quote(found))

    def placed(self, text: str, indent: str, around: str = "") -> str:
        """`text`, with `\\n`, as it is at a place that is indented by `indent`.

        The first line is left where it is. Lines copied from `around`, the text that is replaced, have their
        indentation already. The insides of strings never change.
        """
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        data = self._requoted(plain, around).encode()
        inside = frozenset(line for _, first, last in string_lines(data) for line in range(first + 1, last + 1))
        lines = data.decode().split("\n")
        usual = 1 if any(line.startswith("\t") for line in lines) else 4
        unit = next((len(token.text) for token in tokens(data) if token.kind == "INDENT"), usual)
        heads = {line: first for first, last in _logical_lines(data) for line in range(first + 1, last + 1)}
        blanks = [len(line) - len(line.lstrip(" \t")) for line in lines]
        for number, line in enumerate(lines[1:], 2):
            if number in inside or _is_copied(line, around):
                continue
            own = blanks[number - 1]
            base = own if number not in heads else min(own, blanks[heads[number] - 1] if heads[number] > 1 else 0)
            levels, rest = divmod(base, unit)
            deeper, further = divmod(own - base, unit)
            start = indent + self.indent * levels + self.hanging * deeper + " " * (rest + further)
            lines[number - 1] = start + line.lstrip(" \t") if line.strip() else ""
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
                before = line[: len(line) - len(own)]
                lines[number - 1] = before + (self.broken(own, indent + before) or own).replace("\n", "\n" + before)
        return "\n".join(lines)

    def broken(self, text: str, indent: str) -> str | None:
        """`text`, one line at `indent`, broken inside its last brackets, one level deeper; None if that cannot be.

        If what is inside does not fit on one line, each item gets its own, or each clause of a comprehension.
        """
        data = text.encode()
        pairs = [pair for pair in outermost(tokens(data)) if pair.inside.start < pair.inside.end]
        if "\n" in text or not pairs:
            return None
        inside = pairs[-1].inside
        last, is_long = pairs[-1], not self.fits(_width(indent + self.hanging, data, inside))
        ends = (last.clauses or last.commas) if is_long else ()
        parts = [data[start:end].decode().strip() for start, end in pairwise((inside.start, *ends, inside.end))]
        comma = "," if ends and not last.clauses and not last.ends_with_comma else ""
        body = "\n    ".join(parts)
        return f"{data[: inside.start].decode()}\n    {body}{comma}\n{data[inside.end :].decode()}"

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


def _width(indent: str, data: bytes, span: Span) -> int:
    return len(indent) + len(data[span.start : span.end].decode().strip())


def _limit(source: SourceFile, found: Sequence[Token]) -> int | None:
    ends: dict[int, int] = {}
    for token in found:
        if token.kind in ("NAME", "OP", "NUMBER", "STRING") and "\n" not in token.text:
            ends[source.lines.line(token.span.start)] = token.span.end
    widths = [len(source.text[source.lines.line_start(line) : end].decode()) for line, end in ends.items()]
    allowed = len(widths) // 100  # addresses and the like
    limit = next((limit for limit in _LIMITS if sum(width > limit for width in widths) <= allowed), None)
    if limit is None or limit >= _COMMON:
        return limit
    return limit if any(limit < width <= _COMMON for width in _broken_widths(source, found)) else _COMMON


def _broken_widths(source: SourceFile, found: Sequence[Token]) -> Iterator[int]:
    """How long each broken statement would be on one line, if no comment, string or last comma keeps it broken."""
    solid = [token for token in found if token.kind not in ("NL", "INDENT", "DEDENT")]
    starts = [-1, *(place for place, token in enumerate(solid) if token.kind == "NEWLINE")]
    for above, newline in pairwise(starts):
        line = solid[above + 1 : newline]
        while line and line[0].kind == "COMMENT":
            line = line[1:]
        is_kept = any(each.kind == "COMMENT" or "\n" in each.text for each in line)
        has_comma = any(one.text == "," and step(other) < 0 for one, other in pairwise(line))
        text = source.text[line[0].span.start : line[-1].span.end].decode() if line else ""
        if "\n" in text and not is_kept and not has_comma:
            one_line = re.sub(r"(?<=[(\[{])\s+|\s+(?=[)\]}])", "", re.sub(r"\s*\n\s*", "\n", text))
            yield len(_blanks(source, line[0].span.start)) + len(one_line)


def _hanging(source: SourceFile, found: Sequence[Token]) -> str | None:
    """How much deeper most lines stand than the bracket at the end of the line above; None without such lines."""
    seen: Counter[str] = Counter()
    solid = [token for token in found if token.kind != "COMMENT"]
    for bracket, newline, token in zip(solid, solid[1:], solid[2:], strict=False):
        if step(bracket) > 0 and newline.kind == "NL" and step(token) == 0 and token.kind != "NL":
            above, below = (_blanks(source, t.span.start) for t in (bracket, token))
            seen[below.removeprefix(above) if below.startswith(above) else ""] += 1
    del seen[""]
    return seen.most_common(1)[0][0] if seen else None


def _blanks(source: SourceFile, offset: int) -> str:
    return indentation(source.text[source.lines.line_start(source.lines.line(offset)) : offset].decode())


def _quote(found: Sequence[Token]) -> str:
    matches = [_STRING.match(token.text) for token in found if token.kind == "STRING"]
    quotes = [match[2] for match in matches if match]
    return "'" if quotes.count("'") > quotes.count('"') else '"'


def _is_simple(literal: str) -> bool:
    return literal.startswith('"') and not literal.startswith('"""') and not set(literal[1:-1]) & set("'\"\\")


def _is_copied(line: str, around: str) -> bool:
    match = re.match(r"[ \t]*\S\w*", line)
    return match is not None and "\n" + match[0] in around.replace("\r\n", "\n").replace("\r", "\n")
