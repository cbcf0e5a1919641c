"""Parentheses that hold one expression together, and do nothing else."""

import keyword
from collections.abc import Sequence

from jaxfix.source.edits import Span
from jaxfix.source.tokens import Token

_CLOSING = frozenset(")]}")


class Grouping:
    """The parentheses of a file, by its tokens."""

    def __init__(self, found: Sequence[Token]) -> None:
        self._found = found
        self._at = {token.span.start: number for number, token in enumerate(found)}
        self._ends = {token.span.end: number for number, token in enumerate(found)}

    def around(self, span: Span) -> Span:
        """`span` with the parentheses that hold nothing else: a name needs none."""
        while (wider := self._wider(span)) is not None:
            span = wider
        return span

    def _wider(self, span: Span) -> Span | None:
        first, last = self._at.get(span.start), self._ends.get(span.end)
        if first is None or last is None or first < 2 or last + 1 >= len(self._found):
            return None
        before, opening, closing = self._found[first - 2], self._found[first - 1], self._found[last + 1]
        if (opening.text, closing.text) != ("(", ")") or _is_called(before):
            return None
        return Span(opening.span.start, closing.span.end)


def _is_called(token: Token) -> bool:
    """Whether an opening parenthesis after `token` begins arguments."""
    is_name = token.kind == "NAME" and not keyword.iskeyword(token.text)
    return is_name or token.kind == "STRING" or token.text in _CLOSING
