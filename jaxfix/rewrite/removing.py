"""Statements taken out of their blocks: no comment is lost, no block is left empty, no gap stays."""

import ast
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from jaxfix.rewrite.blocks import Blocks
from jaxfix.rewrite.pieces import Piece, Place
from jaxfix.semantic.module import Module
from jaxfix.source.edits import Edit, Span
from jaxfix.source.tokens import Token


class Removals:
    """Takes statements out of one module."""

    def __init__(self, module: Module, blocks: Blocks, found: Sequence[Token], newline: str) -> None:
        self._module = module
        self._blocks = blocks
        self._comments = [token for token in found if token.kind == "COMMENT"]
        self._starts = [token.span.start for token in self._comments]
        self._newline = newline

    def pieces(self, gone: Mapping[ast.stmt, Span | None], filled: Iterable[ast.stmt]) -> list[Piece]:
        """The pieces that take out each statement of `gone`.

        Args:
          gone: for each statement the whole lines that have moved elsewhere; None if it is deleted.
          filled: statements next to which others were inserted: their blocks are not empty.
        """
        full = {id(self._blocks.siblings(statement)) for statement in filled}
        blocks: dict[int, list[Piece]] = {}
        for statement, region in gone.items():
            block = id(self._blocks.siblings(statement))
            blocks.setdefault(block, []).append(self._piece(statement, region, gone, full))
        return [piece for pieces in blocks.values() for piece in self._united(pieces)]

    def _united(self, pieces: list[Piece]) -> list[Piece]:
        """The same with those that touch as one: neighbours of one block share the blank lines around them."""
        found: list[Piece] = []
        start = 0
        for piece in sorted(pieces, key=lambda piece: piece.edit.span):
            last = found[-1] if found else None
            if last is not None and last.edit.span.end > piece.edit.span.start:
                span = Span(last.edit.span.start, max(last.edit.span.end, piece.edit.span.end))
                found[-1] = Piece(Edit(span, last.edit.text + piece.edit.text), last.owner, last.place)
            elif last is not None and _are_one_gap(last.edit, piece.edit):
                end = self._blocks.without_gap(Span(start, piece.edit.span.end), first=False, last=False).end
                found.append(Piece(Edit(Span(piece.edit.span.start, end), ""), piece.owner, piece.place))
            else:
                found.append(piece)
                start = piece.edit.span.start
        return found

    def _piece(
        self, statement: ast.stmt, moved: Span | None, gone: Mapping[ast.stmt, Span | None], full: set[int]
    ) -> Piece:
        block = self._blocks.siblings(statement)
        place = self._blocks.place(statement)
        is_first = all(item in gone for item in islice(block, place))
        is_last = all(item in gone for item in islice(block, place + 1, None))
        in_module = self._blocks.in_module(statement)
        empties = is_first and is_last and not in_module and id(block) not in full
        owner = self._module.span(statement)
        before, after = self._blocks.neighbours(statement)
        if before is not None or after is not None or not self._blocks.owns_line(statement):
            edit = self._part_of_line(statement, before, after, needs_pass=empties and place == 0)
            return Piece(edit, owner, Place.INSIDE)
        region = moved or self._lines(statement)
        indent = self._blocks.indent(statement)
        kept = [] if moved else self._comments_in(region)
        lines = [*kept, "pass"] if empties and place == 0 else kept
        if not lines:
            is_top = is_first and (not in_module or not region.start)
            region = self._blocks.without_gap(region, first=is_top, last=is_last)
        return Piece(Edit(region, "".join(indent + line + self._newline for line in lines)), owner, Place.INSIDE)

    def _comments_in(self, span: Span) -> list[str]:
        first, last = (bisect_left(self._starts, offset) for offset in (span.start, span.end))
        return [token.text for token in self._comments[first:last]]

    def _lines(self, statement: ast.stmt) -> Span:
        start, end = self._blocks.line_start(statement), self._blocks.line_end(statement)
        return Span(start, self._blocks.after_newline(end))

    def _part_of_line(
        self, statement: ast.stmt, before: ast.stmt | None, after: ast.stmt | None, *, needs_pass: bool
    ) -> Edit:
        span = self._module.span(statement)
        if needs_pass:
            return Edit(span, "pass")
        if before is not None:
            return Edit(Span(self._module.span(before).end, span.end), "")
        return Edit(Span(span.start, self._blocks.start(after)) if after is not None else span, "")


def _are_one_gap(one: Edit, other: Edit) -> bool:
    return one.span.end == other.span.start and not one.text and not other.text
