"""Lines that edits make too long, broken inside brackets one level deeper."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from jaxfix.rewrite.brackets import Brackets, outermost, separators, step
from jaxfix.rewrite.layout import Layout, indentation
from jaxfix.source.edits import Edit, Span
from jaxfix.source.source_file import SourceFile
from jaxfix.source.tokens import Token, tokens

_BLANKS = re.compile(rb"[ \t]*")
_PRAGMA = re.compile(r"#\s*(type:|noqa|pylint:|pyright:|pytype:|mypy:|pyre-|ruff:|fmt:|pragma:|jaxfix:)")


class Folding:
    """Breaks the lines of one file."""

    def __init__(self, source: SourceFile, layout: Layout, found: Sequence[Token]) -> None:
        self._source = source
        self._layout = layout
        self._tokens = found
        self._starts = [token.span.start for token in found]
        self._depths = list(accumulate(map(step, found), initial=0))

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
        comment = next((token for token in self._found(Span(start, end)) if token.kind == "COMMENT"), None)
        if comment is not None and _PRAGMA.search(comment.text):
            return edits  # it speaks of this line
        # A comment after the code may be too long: the code decides.
        code = Span(start, self._code_end(Span(start, end), comment))
        width = self._width(code, edits) + shift
        if self._layout.fits(width) or width <= len(self._source.text[start : code.end].decode()):
            return edits
        indent = indentation(self._source.text[start:end].decode())
        apart = self._items_apart(code, edits, indent)
        if apart is not None:
            return apart
        brackets = self._brackets(code, edits, indent, shift)
        if brackets is None:
            return [self._replacement(edit, indent) for edit in edits]
        return self._broken(brackets, edits, indent, shift)

    # --- one line ---------------------------------------------------------------------------------------------

    def _found(self, span: Span) -> list[Token]:
        """The tokens that begin in `span`."""
        return list(self._tokens[bisect_left(self._starts, span.start) : bisect_left(self._starts, span.end)])

    def _code_end(self, line: Span, comment: Token | None) -> int:
        end = line.end if comment is None else comment.span.start
        return line.start + len(self._source.text[line.start : end].rstrip())

    def _width(self, span: Span, edits: Iterable[Edit]) -> int:
        text = self._source.text
        inside = [edit for edit in edits if span.contains(edit.span)]
        removed = sum(len(text[edit.span.start : edit.span.end].decode()) for edit in inside)
        return len(text[span.start : span.end].decode()) - removed + sum(len(edit.text) for edit in inside)

    # --- items of brackets that an earlier line opened --------------------------------------------------------

    def _items_apart(self, line: Span, edits: list[Edit], indent: str) -> list[Edit] | None:
        """Each item of the brackets around the whole line on its own; None if it is not in any, or one item."""
        if self._depths[bisect_left(self._starts, line.start)] <= 0:
            return None
        commas = [comma for comma in separators(self._found(line)) if comma < line.end]
        newline = self._layout.newline + indent
        own = [self._inserted_apart(line, edit, newline) for edit in edits]
        if not commas and own == edits:
            return None
        breaks = [Edit(self._blanks(comma), newline) for comma in commas]
        return sorted([*breaks, *own], key=lambda edit: edit.span)

    def _inserted_apart(self, line: Span, edit: Edit, newline: str) -> Edit:
        before = self._found(Span(line.start, edit.span.start))
        if edit.span.start < edit.span.end or sum(step(token) for token in before) != 0:
            return edit
        data = edit.text.encode()
        for comma in reversed(separators(tokens(data))):
            rest = data[comma:].lstrip(b" ")
            data = data[:comma] + newline.encode() + rest if rest else data
        return Edit(edit.span, data.decode())

    # --- brackets on the line ---------------------------------------------------------------------------------

    def _brackets(self, line: Span, edits: list[Edit], indent: str, shift: int) -> Brackets | None:
        """The outermost brackets of the line to break: the last that hold an edit and let all fit, or the first."""
        pairs = [
            pair
            for pair in outermost(self._found(line))
            if not any(edit.span.contains(pair.inside) and edit.span != pair.inside for edit in edits)
        ]  # what an edit replaces has no brackets of its own left
        holding = [pair for pair in pairs if any(pair.inside.contains(edit.span) for edit in edits)]
        fitting = [pair for pair in holding if self._fits_around(pair, line, edits, indent, shift)]
        after = [
            pair for pair in pairs if pair.inside.start >= edits[0].span.end and pair.inside.start < pair.inside.end
        ]
        return next(iter([*reversed(fitting), *holding, *after]), None)

    def _fits_around(self, pair: Brackets, line: Span, edits: list[Edit], indent: str, shift: int) -> bool:
        """Whether the lines before and after `pair` are short enough when it is broken."""
        above = self._width(Span(line.start, pair.inside.start), [e for e in edits if e.span.end < pair.inside.start])
        below = self._width(Span(pair.inside.end, line.end), [e for e in edits if e.span.start > pair.inside.end])
        return self._layout.fits(above + shift) and self._layout.fits(len(indent) + below + shift)

    def _broken(self, brackets: Brackets, edits: list[Edit], indent: str, shift: int) -> list[Edit]:
        deeper = self._layout.newline + indent + self._layout.hanging
        start, end = brackets.inside.start, brackets.inside.end
        opening = Edit(Span(start, start), deeper)
        width = len(indent + self._layout.hanging) + self._width(brackets.inside, edits) + shift
        if self._layout.fits(width):
            return [opening, *edits, Edit(Span(end, end), self._layout.newline + indent)]
        breaks = [Edit(self._blanks(end), deeper) for end in brackets.commas or brackets.clauses]
        own = [self._inside_apart(brackets, edit, deeper) for edit in edits]
        is_list = (breaks or own != edits) and not brackets.clauses
        comma = "," if is_list and not brackets.ends_with_comma else ""
        closing = Edit(Span(end, end), comma + self._layout.newline + indent)
        # Of several edits at one place the first is the first in the text.
        return [opening, *breaks, *own, closing]

    def _inside_apart(self, brackets: Brackets, edit: Edit, newline: str) -> Edit:
        if not brackets.has_items or not brackets.inside.contains(edit.span):
            return edit
        return self._inserted_apart(brackets.inside, edit, newline)

    def _blanks(self, offset: int) -> Span:
        match = _BLANKS.match(self._source.text, offset)
        return Span(offset, match.end() if match else offset)

    def _replacement(self, edit: Edit, indent: str) -> Edit:
        broken = self._layout.broken(edit.text, indent)
        return edit if broken is None else Edit(edit.span, self._layout.placed(broken, indent))
