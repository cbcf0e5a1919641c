"""Where further arguments of a call go, and how they are joined to those that it has."""

import ast
import re

import libcst

from jaxfix.rewrite.cst import ConcreteSyntax
from jaxfix.rewrite.layout import indentation
from jaxfix.source.edits import Edit, Span
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

_TO_NEWLINE = re.compile(rb"[^\r\n]*")


@frozen
class _Argument:
    """An argument and where its comma ends, if it has one. `star` is `""`, `"*"` or `"**"`."""

    start: int
    end: int
    comma_end: int | None
    star: str
    is_keyword: bool


_Placed = tuple[int | None, str]
"""A positional argument and the index of the one that it precedes; None after them all."""


class Arguments:
    """The arguments of one call, in bytes of the text of its file."""

    def __init__(self, source: SourceFile, syntax: ConcreteSyntax, call: ast.Call) -> None:
        node = syntax.node(call, libcst.Call)
        self._source = source
        self._text = source.text
        self._open = syntax.span(node.whitespace_before_args).start
        self._close = syntax.span(node).end - 1
        self._found = [_argument(syntax, argument) for argument in node.args]
        self._has_bare_generator = len(node.args) == 1 and _is_bare_generator(node.args[0])

    @property
    def takes_positional(self) -> bool:
        """Whether one more positional argument can stand after the others: none of them follows a keyword."""
        kinds = [argument.is_keyword for argument in self._found]
        return kinds == sorted(kinds)

    def added(self, positional: tuple[_Placed, ...], keywords: tuple[str, ...], newline: str) -> list[Edit]:
        """The edits that add arguments: positional ones at their index, keywords after all but `**`."""
        front = sum(not argument.is_keyword for argument in self._found)
        back = next((n for n, argument in enumerate(self._found) if argument.star == "**"), len(self._found))
        places: dict[int, tuple[str, ...]] = {}
        for place, text in (
            *((front if p is None else p, text) for p, text in positional),
            *((back, k) for k in keywords),
        ):
            places[place] = (*places.get(place, ()), text)
        inserted = (edit for place, texts in places.items() for edit in self._inserted(place, texts, newline))
        return [*self._parentheses(), *inserted]

    def _parentheses(self) -> list[Edit]:
        if not self._has_bare_generator:
            return []
        (only,) = self._found
        return [Edit(Span(only.start, only.start), "("), Edit(Span(only.end, only.end), ")")]

    def _inserted(self, place: int, texts: tuple[str, ...], newline: str) -> list[Edit]:
        """The edits that put `texts` before the argument at `place`, or at the end."""
        if self._is_one_per_line:
            return self._on_own_lines(place, texts, newline)
        joined = ", ".join(texts)
        if place < len(self._found):
            return [_insertion(self._found[place].start, f"{joined}, ")]
        if not self._found:
            return [_insertion(self._open, joined)]
        last = self._found[-1]
        if last.comma_end is not None:
            return [_insertion(last.comma_end, f" {joined},")]
        return [_insertion(last.end, f", {joined}")]

    def _on_own_lines(self, place: int, texts: tuple[str, ...], newline: str) -> list[Edit]:
        own = next(argument for argument in reversed(self._found) if self._begins_line(argument))
        start = newline + indentation(self._line_before(own.start))
        if place == len(self._found):
            return self._on_last_lines(self._found[-1], texts, start)
        following = self._found[place]
        if not self._begins_line(following):
            return [_insertion(following.start, "".join(f"{text},{start}" for text in texts))]
        before = self._found[place - 1].comma_end if place else None
        end = self._line_end(self._open if before is None else before)
        return [_insertion(end, "".join(f"{start}{text}," for text in texts))]

    def _on_last_lines(self, last: _Argument, texts: tuple[str, ...], start: str) -> list[Edit]:
        if last.comma_end is not None:
            end = self._line_end(last.comma_end)
            return [_insertion(end if end < self._close else last.comma_end, "".join(f"{start}{t}," for t in texts))]
        tail = ",".join(start + text for text in texts)
        end = self._line_end(last.end)
        if end < self._close:
            return [_insertion(last.end, ","), _insertion(end, tail)]
        return [_insertion(last.end, "," + tail)]

    @property
    def _is_one_per_line(self) -> bool:
        return any(map(self._begins_line, self._found)) and all(map(self._begins_line, self._found[1:]))

    def _begins_line(self, argument: _Argument) -> bool:
        return not self._line_before(argument.start).strip()

    def _line_before(self, offset: int) -> str:
        lines = self._source.lines
        return self._text[lines.line_start(lines.line(offset)) : offset].decode()

    def _line_end(self, offset: int) -> int:
        match = _TO_NEWLINE.match(self._text, offset)
        return match.end() if match else offset


def _insertion(offset: int, text: str) -> Edit:
    return Edit(Span(offset, offset), text)


def _argument(syntax: ConcreteSyntax, argument: libcst.Arg) -> _Argument:
    span = syntax.span(argument)
    comma = None
    if isinstance(argument.comma, libcst.Comma):
        comma = syntax.span(argument.comma).end
    is_keyword = argument.keyword is not None or argument.star == "**"
    return _Argument(span.start, span.end, comma, argument.star, is_keyword)


def _is_bare_generator(argument: libcst.Arg) -> bool:
    return isinstance(argument.value, libcst.GeneratorExp) and not argument.value.lpar
