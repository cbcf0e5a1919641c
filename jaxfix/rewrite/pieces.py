"""What the verbs of one recipe record, and how it becomes edits."""

from collections.abc import Iterable
from enum import IntEnum

from jaxfix.rewrite.blocks import blank_lines
from jaxfix.source.edits import Edit, Span
from jaxfix.source.errors import BugError
from jaxfix.source.frozen import frozen


class Place(IntEnum):
    """What a piece is next to others at the same offset; in this order they stand."""

    LINES_BEFORE = 0
    """Whole lines, before the statement that begins there."""
    CLOSING = 1
    """Behind an expression that ends there."""
    INSIDE = 2
    """Between two expressions, or in the place of one."""
    OPENING = 3
    """Before an expression that begins there."""
    LINES_AFTER = 4
    """Whole lines, after the statement that ends there."""


@frozen
class Piece:
    """An edit, and what decides where it goes among others.

    Attributes:
      edit: against the text of the file.
      owner: the span of the node that it belongs to, and moves with.
      place: its neighbours at the same offset.
      blank_lines: how many have to be above it, if it is `LINES_BEFORE` and not at the start of a block.
      follows: whether a statement of its block is above it.
      turn: among other lines before the same statement.
    """

    edit: Edit
    owner: Span
    place: Place
    blank_lines: int = 0
    follows: bool = True
    turn: int = 0

    @property
    def rank(self) -> tuple[int, int]:
        size = self.owner.end - self.owner.start
        match self.place:
            case Place.CLOSING | Place.LINES_AFTER:
                return self.place, size  # the innermost node ends first
            case Place.OPENING:
                return self.place, -size
        return self.place, self.turn


def in_order(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces as they stand in the text; a second wrap of one node goes around the first."""
    numbered = list(enumerate(pieces))
    numbered.sort(key=lambda n: (n[1].edit.span, n[1].rank, -n[0] if n[1].place is Place.OPENING else n[0]))
    return [piece for _, piece in numbered]


def joined(pieces: Iterable[Piece], text: bytes, newline: str) -> tuple[Edit, ...]:
    """One edit for each place that `pieces`, in order, change.

    Raises:
      BugError: two of them replace the same text in different ways.
    """
    edits: list[Edit] = []
    for piece in pieces:
        edit = piece.edit
        last = edits[-1] if edits else None
        if last is not None and edit.span == last.span and edit.span.start == edit.span.end:
            edits[-1] = Edit(edit.span, last.text + _gap(piece, text, last.text, newline) + edit.text)
        elif last is None or last.span.end <= edit.span.start:
            edits.append(Edit(edit.span, _gap(piece, text, "", newline) + edit.text))
        elif edit != last:
            raise BugError(f"a recipe changes one place twice: {last} and {edit}")
    return tuple(edits)


def _gap(piece: Piece, text: bytes, above: str, newline: str) -> str:
    if piece.place is not Place.LINES_BEFORE or not (piece.follows or above):
        return ""
    start = piece.edit.span.start
    if not start and not above:
        return ""
    return newline * max(piece.blank_lines - len(blank_lines(text, start, above.encode())), 0)
