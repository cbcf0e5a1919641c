"""Lines that edits make too long, broken inside brackets one level deeper."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jaxfix.core.source import SourceFile
from jaxfix.core.text import Edit, Span
from jaxfix.core.tokens import Token
from jaxfix.rewrite.layout import Layout, folded, indentation


@dataclass(frozen=True, slots=True)
class _Brackets:
    """A pair of brackets on one line: the span is what is inside; `commas` end there, outside of inner brackets."""

    inside: Span
    commas: tuple[int, ...]


class Folding:
    """Breaks the lines of one file."""

    def __init__(self, source: SourceFile, layout: Layout, found: Sequence[Token]) -> None:
        self._source = source
        self._layout = layout
        self._tokens = found

    def folded(self, edits: Iterable[Edit], shift: int) -> list[Edit]:
        """`edits`, and those that break the lines which they make too long; lines come to stand `shift` columns on.

        All `edits` replace or insert a part of a line.
        """
        lines: dict[int, list[Edit]] = {}
        for edit in sorted(edits, key=lambda edit: edit.span):
            lines.setdefault(self._source.lines.line(edit.span.start), []).append(edit)
        return [edit for line, group in lines.items() for edit in self._line(line, group, shift)]

    def _line(self, line: int, edits: list[Edit], shift: int) -> list[Edit]:
        start = self._source.lines.line_start(line)
        end = start + len(self._source.text[start : self._source.lines.line_start(line + 1)].rstrip(b"\r\n"))
        if any("\n" in edit.text or "\r" in edit.text or edit.span.end > end for edit in edits):
            return edits
        # A comment behind the code, such as one for another tool, may stand out: the code decides.
        end = self._code_end(Span(start, end))
        width = self._width(Span(start, end), edits) + shift
        if self._layout.fits(width) or width <= len(self._source.text[start:end].decode()):
            return edits
        indent = indentation(self._source.text[start:end].decode())
        commas = self._commas_of_outer_call(Span(start, end))
        if commas:
            apart = [Edit(self._blanks(comma), self._layout.newline + indent) for comma in commas]
            return sorted([*apart, *edits], key=lambda edit: edit.span)
        brackets = self._brackets(Span(start, end), edits)
        if brackets is None:
            return [self._replacement(edit, indent) for edit in edits]
        return self._broken(brackets, edits, indent, shift)

    def _code_end(self, line: Span) -> int:
        comment = next((t for t in self._tokens if t.kind == "COMMENT" and line.contains(t.span)), None)
        end = line.end if comment is None else comment.span.start
        return line.start + len(self._source.text[line.start : end].rstrip())

    def _commas_of_outer_call(self, line: Span) -> list[int]:
        """Where the commas of brackets that an earlier line opened end, but for one at the end of the line."""
        before = [t.text for t in self._tokens if t.kind == "OP" and t.span.end <= line.start]
        if not sum((text in "([{") - (text in ")]}") for text in before):
            return []
        depth, commas = 0, []
        for token in (t for t in self._tokens if t.kind == "OP" and line.contains(t.span)):
            depth += (token.text in "([{") - (token.text in ")]}")
            if token.text == "," and depth == 0:
                commas.append(token.span.end)
        return [comma for comma in commas if comma < line.end]

    def _width(self, span: Span, edits: Iterable[Edit]) -> int:
        text = self._source.text
        inside = [edit for edit in edits if span.contains(edit.span)]
        removed = sum(len(text[edit.span.start : edit.span.end].decode()) for edit in inside)
        return len(text[span.start : span.end].decode()) - removed + sum(len(edit.text) for edit in inside)

    def _brackets(self, line: Span, edits: list[Edit]) -> _Brackets | None:
        """The outermost brackets of the line that hold an edit, or the first after one."""
        pairs = _outermost(token for token in self._tokens if line.contains(token.span))
        holding = [pair for pair in pairs if any(pair.inside.contains(edit.span) for edit in edits)]
        after = [
            pair for pair in pairs if pair.inside.start >= edits[0].span.end and pair.inside.start < pair.inside.end
        ]
        return next(iter(holding or after), None)

    def _broken(self, brackets: _Brackets, edits: list[Edit], indent: str, shift: int) -> list[Edit]:
        deeper = self._layout.newline + indent + self._layout.indent
        start, end = brackets.inside.start, brackets.inside.end
        opening = Edit(Span(start, start), deeper)
        closing = Edit(Span(end, end), self._layout.newline + indent)
        width = len(indent + self._layout.indent) + self._width(brackets.inside, edits) + shift
        breaks = [] if self._layout.fits(width) else [Edit(self._blanks(comma), deeper) for comma in brackets.commas]
        # Of several edits at one place the first is the first in the text.
        return [opening, *breaks, *edits, closing]

    def _blanks(self, offset: int) -> Span:
        rest = self._source.text[offset:]
        return Span(offset, offset + len(rest) - len(rest.lstrip(b" \t")))

    def _replacement(self, edit: Edit, indent: str) -> Edit:
        broken = folded(edit.text)
        return edit if broken is None else Edit(edit.span, self._layout.placed(broken, indent))


def _outermost(found: Iterable[Token]) -> list[_Brackets]:
    pairs: list[_Brackets] = []
    opened: list[int] = []
    commas: list[int] = []
    last = ""
    for token in found:
        previous, last = last, token.text
        if token.kind != "OP":
            continue
        if token.text in "([{":
            commas = commas if opened else []
            opened.append(token.span.end)
        elif token.text in ")]}" and opened:
            start = opened.pop()
            if not opened:
                inner = commas[:-1] if previous == "," else commas  # a comma at the end needs no line after it
                pairs.append(_Brackets(Span(start, token.span.start), tuple(inner)))
        elif token.text == "," and len(opened) == 1:
            commas.append(token.span.end)
    return pairs
