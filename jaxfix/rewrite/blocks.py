"""Where statements stand: their lines, their comments, their blocks."""

import ast
import re
from collections.abc import Iterable

from jaxfix.rewrite.layout import indentation
from jaxfix.semantic.module import Module
from jaxfix.source.edits import Span
from jaxfix.source.errors import SourceError
from jaxfix.source.tokens import Token

_NEWLINE = re.compile(rb"\r\n|\r|\n")
_REST = re.compile(rb"[ \t\f]*(?:;[ \t\f]*)?(?:#[^\r\n]*)?(?=\r|\n|\Z)")
_COMMENT_LINE = re.compile(rb"([ \t\f]*)#[^\r\n]*")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_CELL = re.compile(rb"#[ \t]*%%")
"""What begins a cell of a script."""
_SPACE = re.compile(rb"\s*")
_BLANK_LINE = re.compile(rb"[ \t\f]*(?:\r\n|\r|\n)")


class Blocks:
    """The lines of the statements of one module, in bytes of its text."""

    def __init__(self, module: Module, found: Iterable[Token], unit: str) -> None:
        self._module = module
        self._comments = frozenset(token.span.start for token in found if token.kind == "COMMENT")
        self._text = module.source.text
        self._unit = unit
        self._places: dict[int, dict[ast.stmt, int]] = {}

    # --- blocks -----------------------------------------------------------------------------------------------

    def siblings(self, statement: ast.stmt) -> list[ast.stmt]:
        """The block that `statement` is in."""
        parent = self._module.parent(statement)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in self._numbered(block):
                return block
        raise self.refusal(statement, "it is in no block")

    def neighbours(self, statement: ast.stmt) -> tuple[ast.stmt | None, ast.stmt | None]:
        """The statements before and after `statement` on its own line, joined to it by `;`."""
        block = self.siblings(statement)
        place = self.place(statement)
        before = block[place - 1] if place > 0 else None
        after = block[place + 1] if place + 1 < len(block) else None
        return (
            before if before is not None and not self.owns_line(statement) else None,
            after if after is not None and not self.owns_line(after) else None,
        )

    def place(self, statement: ast.stmt) -> int:
        """The number of `statement` in its block, from 0."""
        return self._numbered(self.siblings(statement))[statement]

    def is_first(self, statement: ast.stmt) -> bool:
        return self.siblings(statement)[0] is statement

    def is_below_definition(self, statement: ast.stmt) -> bool:
        place = self.place(statement)
        return place > 0 and isinstance(self.siblings(statement)[place - 1], DEFINITIONS)

    def in_module(self, statement: ast.stmt) -> bool:
        return isinstance(self._module.parent(statement), ast.Module)

    def is_elif(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.If) and self._text.startswith(b"elif", self.start(statement))

    # --- lines ------------------------------------------------------------------------------------------------

    def start(self, statement: ast.stmt) -> int:
        return self._module.span(statement).start

    def line_start(self, statement: ast.stmt) -> int:
        lines = self._module.source.lines
        return lines.line_start(lines.line(self.start(statement)))

    def owns_line(self, statement: ast.stmt) -> bool:
        """Whether `statement` is the first on its line."""
        return not self._text[self.line_start(statement) : self.start(statement)].strip()

    def indent(self, statement: ast.stmt) -> str:
        """What `statement` is indented by; what it would be, on a line of its own."""
        if self.owns_line(statement):
            return indentation(self._text[self.line_start(statement) : self.start(statement)].decode())
        block = self.siblings(statement)
        if block[0] is not statement:
            return self.indent(block[0])
        return self.indent(self._module.statement(self._parent(statement))) + self._unit

    def line_end(self, statement: ast.stmt) -> int:
        """Where the last line of `statement` ends, its comment included, before the newline."""
        match = _REST.match(self._text, self._module.span(statement).end)
        if match is None:
            raise self.refusal(statement, "it shares a line")
        return match.end()

    def after_newline(self, offset: int) -> int:
        match = _NEWLINE.match(self._text, offset)
        return match.end() if match else offset

    def lead(self, statement: ast.stmt) -> int:
        """Where the comments directly above `statement`, at its indentation, begin; else where its line begins.

        The comment that begins a cell is of the cell.
        """
        lines = self._module.source.lines
        start = self.line_start(statement)
        blanks = self._text[start : self.start(statement)].decode()
        line = lines.line(start)
        while line > 1:
            above = lines.line_start(line - 1)
            match = _COMMENT_LINE.match(self._text, above)
            if not match or match.end(1) not in self._comments or match[1].decode() != blanks:
                break
            if _CELL.match(self._text, match.end(1)):
                break
            start, line = above, line - 1
        # What begins the file belongs to the file: an interpreter, an encoding, a licence.
        return self.line_start(statement) if start == 0 else start

    def region(self, statement: ast.stmt) -> Span:
        """The whole lines of `statement`, with the comments above it and the deeper ones below it."""
        if not self.owns_line(statement):
            raise self.refusal(statement, "it shares a line")
        return Span(self.lead(statement), self.after_newline(self.body_end(statement)))

    def body_end(self, statement: ast.stmt) -> int:
        """Where the last line of `statement` ends, before the newline; deeper comments below a block belong to it."""
        end = self.line_end(statement)
        if not hasattr(statement, "body"):
            return end
        depth = len(self.indent(statement).expandtabs())
        offset = self.after_newline(end)
        while offset < len(self._text):
            if blank := _BLANK_LINE.match(self._text, offset):
                offset = blank.end()
                continue
            comment = _COMMENT_LINE.match(self._text, offset)
            if not comment or len(comment[1].decode().expandtabs()) <= depth:
                break
            end, offset = comment.end(), self.after_newline(comment.end())
        return end

    def blank_lines_above(self, offset: int) -> int:
        """How many blank lines end at `offset`, the start of a line."""
        return len(blank_lines(self._text, offset))

    def blank_lines_below(self, offset: int) -> int:
        """How many blank lines follow `offset`, the end of a line; any number at the end of the text."""
        start = self.after_newline(offset)
        match = _SPACE.match(self._text, start)
        if match is None or match.end() == len(self._text):
            return len(self._text)
        return match[0].count(b"\n") or match[0].count(b"\r")

    def without_gap(self, removed: Span, *, first: bool, last: bool) -> Span:
        """`removed`, whole lines, with the blank lines that would be left over without it.

        Those below if there are some above or it is the `first` of its block; those above if it is the `last`.
        """
        above = blank_lines(self._text, removed.start)
        if last:
            return Span(removed.start - sum(above), removed.end)
        end = removed.end
        while above or first:
            blank = _BLANK_LINE.match(self._text, end)
            if not blank:
                break
            end = blank.end()
        return Span(removed.start, end)

    def refusal(self, node: ast.stmt | ast.expr, reason: str) -> SourceError:
        return SourceError(self._module.source.path, f"line {node.lineno} cannot be rewritten: {reason}")

    def _numbered(self, block: list[ast.stmt]) -> dict[ast.stmt, int]:
        # By identity: the tree, and so each of its lists, lives as long as this.
        if id(block) not in self._places:
            self._places[id(block)] = {item: number for number, item in enumerate(block)}
        return self._places[id(block)]

    def _parent(self, node: ast.AST) -> ast.AST:
        parent = self._module.parent(node)
        assert parent is not None
        return parent


def blank_lines(text: bytes, offset: int, above: bytes = b"") -> list[int]:
    """The lengths of the blank lines that end at `offset`, the start of a line, if `above` is inserted there."""
    start = offset
    while start and text[start - 1 : start].isspace():
        start -= 1
    tail = text[max(start - 1, 0) : offset] + above
    solid = tail.rstrip()
    found = [len(line) for line in tail[len(solid) :].splitlines(keepends=True)]
    return found[1:] if solid else found
