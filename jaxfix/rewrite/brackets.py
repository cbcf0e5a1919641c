"""Pairs of brackets, with the commas between their items and the clauses of a comprehension."""

from collections.abc import Iterable

from jaxfix.source.edits import Span
from jaxfix.source.frozen import frozen
from jaxfix.source.tokens import Token


@frozen
class Brackets:
    """A pair of brackets: the span is what is inside.

    Attributes:
      commas: where each comma between two items ends.
      has_items: whether commas separate items here: not those of a lambda, and none in a comprehension.
      ends_with_comma: whether one is after the last item.
      clauses: the ends of the tokens before each `for` and `if` of a comprehension.
    """

    inside: Span
    commas: tuple[int, ...]
    has_items: bool
    ends_with_comma: bool
    clauses: tuple[int, ...] = ()


def step(token: Token) -> int:
    """By how much `token` changes the depth: 1, 0 or -1."""
    return (token.text in "([{") - (token.text in ")]}") if token.kind == "OP" else 0


def outermost(found: Iterable[Token]) -> list[Brackets]:
    """The pairs in `found` that stand in no other; a bracket without its partner is skipped."""
    pairs: list[Brackets] = []
    opened: list[int] = []
    commas: list[int] = []
    clauses: list[int] = []
    has_items, last, end = True, "", 0
    for token in found:
        previous, last = last, token.text
        before, end = end, token.span.end
        if step(token) > 0:
            commas, clauses, has_items = (commas, clauses, has_items) if opened else ([], [], True)
            opened.append(token.span.end)
        elif step(token) < 0 and opened:
            start = opened.pop()
            if not opened:
                is_last = previous == ","  # it needs no line after it
                inner = tuple(commas[:-1] if is_last else commas) if has_items else ()
                pairs.append(Brackets(Span(start, token.span.start), inner, has_items, is_last, tuple(clauses)))
        elif len(opened) == 1 and token.text == ",":
            commas.append(token.span.end)
        elif len(opened) == 1 and token.kind == "NAME" and token.text in ("for", "lambda"):
            has_items = False
            clauses += [before] if token.text == "for" and previous != "async" else []
        elif len(opened) == 1 and token.kind == "NAME" and token.text == "if" and clauses:
            clauses.append(before)
    return pairs


def separators(found: Iterable[Token]) -> tuple[int, ...]:
    """Where the commas that stand in no brackets of `found` end."""
    depth, commas = 0, []
    for token in found:
        depth += step(token)
        if token.text == "," and depth == 0:
            commas.append(token.span.end)
    return tuple(commas)
