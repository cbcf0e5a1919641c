"""A definition on its way to another place: its header, its own name, its indentation."""

import ast
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from jaxfix.rewrite.brackets import step
from jaxfix.rewrite.layout import Layout, indentation, string_lines
from jaxfix.semantic.module import Module
from jaxfix.source.edits import Edit, Span, apply_edits
from jaxfix.source.frozen import frozen
from jaxfix.source.tokens import Token, tokens


@frozen
class Move:
    """A definition that is to stand before another statement.

    Attributes:
      function: what moves; `span` is its own, `region` the whole lines that go with it.
      before: the statement that it will stand above, as `name`.
    """

    function: ast.FunctionDef | ast.AsyncFunctionDef
    before: ast.stmt
    name: str
    span: Span
    region: Span
    indent: str
    new_indent: str

    @property
    def shift(self) -> int:
        return len(self.new_indent) - len(self.indent)

    def holds(self, edit: Span, owner: Span) -> bool:
        """Whether an edit moves along: it belongs to something inside the function, not to the function itself."""
        return self.region.contains(edit) and self.span.contains(owner) and owner != self.span


def renamed(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Iterator[Edit]:
    """The edits that make `function` call itself `name` inside its body."""
    if name == function.name:
        return
    home = module.scope_of(function.name, function)
    for statement in function.body:
        for node in ast.walk(statement):
            is_own = isinstance(node, ast.Name) and node.id == function.name and isinstance(node.ctx, ast.Load)
            if is_own and module.scope_of(function.name, node) is home:
                yield Edit(module.span(node), name)


def header(
    module: Module,
    layout: Layout,
    found: Sequence[Token],
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    name: str,
    parameters: tuple[str, ...],
) -> Iterator[Edit]:
    """The edits that give `function` another name and further parameters in front."""
    start = module.source.lines.offset(function.lineno, function.col_offset)
    begin = bisect_left(found, start, key=lambda token: token.span.start)
    line = (token for token in islice(found, begin, None) if token.kind != "NL")
    own = next(token for token in line if token.text == function.name)
    if name != function.name:
        yield Edit(own.span, name)
    if not parameters:
        return
    depth, token = 0, own
    for token in line:  # over the brackets of type parameters
        depth += (token.text == "[") - (token.text == "]")
        if token.text == "(" and depth == 0:
            break
    opening = token.span.end
    comment = next(line)
    first = next(line) if comment.kind == "COMMENT" else comment
    while first.kind == "COMMENT":
        first = next(line)
    lines = module.source.lines
    if first.text == ")":
        yield Edit(Span(opening, opening), ", ".join(parameters))
    elif lines.line(first.span.start) == lines.line(opening):
        yield Edit(Span(opening, opening), "".join(f"{parameter}, " for parameter in parameters))
    else:
        text = module.source.text
        above = text[lines.line_start(lines.line(first.span.start)) : first.span.start].decode()
        is_behind = comment.kind == "COMMENT" and lines.line(comment.span.start) == lines.line(opening)
        end = comment.span.end if is_behind else opening
        yield Edit(Span(end, end), "".join(f"{layout.newline}{above}{parameter}," for parameter in parameters))


def head_end(found: Sequence[Token], start: int) -> int:
    """Where the head of the compound statement at `start` ends: after its colon."""
    depth = 0
    for token in islice(found, bisect_left(found, start, key=lambda token: token.span.start), None):
        depth += step(token)
        if depth == 0 and token.text == ":":
            return token.span.end
    return start


def reindented(text: bytes, old: str, new: str) -> str:
    """Whole lines of a statement at `old`, now at `new`; the insides of strings stay, docstrings apart."""
    prefix = b"if 1:\n" if old else b""
    inside = {
        line - len(prefix.splitlines())
        for first, last in _kept_lines(prefix + text, old)
        for line in range(first + 1, last + 1)
    }
    lines = text.splitlines(keepends=True)
    return "".join(
        line.decode() if number in inside else _reindented_line(line.decode(), old, new)
        for number, line in enumerate(lines, 1)
    )


def _reindented_line(line: str, old: str, new: str) -> str:
    solid = line.lstrip(" \t\f")
    if not solid.strip("\r\n"):
        return line if "\f" in line else solid
    blanks = indentation(line)
    if not blanks.startswith(old):
        return line  # a line inside brackets, or a comment, that hangs out to the left
    pages = line[: len(line) - len(solid) - len(blanks)]
    return pages + new + blanks[len(old) :] + solid


def _kept_lines(text: bytes, old: str) -> Iterator[tuple[int, int]]:
    """The first and last lines of the strings that must keep their insides."""
    docstrings = set(_docstrings(text))
    lines = text.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for token, first, last in string_lines(text):
        hangs = any(line.strip() and not line.startswith(old) for line in lines[first:last])
        if token.span not in docstrings or hangs:
            yield first, last


def _docstrings(text: bytes) -> Iterator[Span]:
    """The strings that are a whole statement at the start of a block."""
    found = [token for token in tokens(text) if token.kind not in ("COMMENT", "NL")]
    for before, token, after in zip(found, found[1:], found[2:], strict=False):
        is_plain = token.kind == "STRING" and token.text.lstrip("rRuU")[:1] in ("'", '"')
        if before.kind == "INDENT" and is_plain and after.kind == "NEWLINE":
            yield token.span


def lines_of(module: Module, region: Span, indent: str, replacements: Mapping[ast.AST, str]) -> str:
    """The lines of `region` without `indent`, with nodes inside of it replaced by other text."""
    spans = {module.span(node): text for node, text in replacements.items()}
    edits = [Edit(Span(at.start - region.start, at.end - region.start), text) for at, text in spans.items()]
    lines = apply_edits(module.source.text[region.start : region.end], edits).decode().splitlines()
    return "\n".join(line[min(len(indent), len(line) - len(line.lstrip())) :] for line in lines)
