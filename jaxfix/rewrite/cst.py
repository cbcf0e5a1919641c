"""From a node of the model to its LibCST node: the one place."""

import ast
import re
from collections.abc import Iterator
from typing import TypeVar

import libcst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from jaxfix.semantic.module import Module
from jaxfix.source.edits import Span
from jaxfix.source.errors import SourceError
from jaxfix.source.source_file import SourceFile

N = TypeVar("N", bound=libcst.CSTNode)
Placed = ast.expr | ast.stmt | ast.arg | ast.alias

_LITERALS = ("Integer", "Float", "Imaginary", "SimpleString", "ConcatenatedString", "Ellipsis", "Name")
_STRINGS = ("FormattedString", "TemplatedString", "ConcatenatedString")
_KINDS = {
    "AsyncFor": ("For",),
    "AsyncFunctionDef": ("FunctionDef",),
    "AsyncWith": ("With",),
    "BinOp": ("BinaryOperation",),
    "BoolOp": ("BooleanOperation",),
    "Compare": ("Comparison",),
    "Constant": _LITERALS,
    "Delete": ("Del",),
    "JoinedStr": _STRINGS,
    "Starred": ("StarredElement",),
    "TemplateStr": _STRINGS,
    "UnaryOp": ("UnaryOperation",),
    "YieldFrom": ("Yield",),
    "alias": ("ImportAlias",),
    "arg": ("Name",),
}
"""The names of LibCST where they are not those of `ast`."""


class ConcreteSyntax:
    """The LibCST nodes of one file and their places.

    Parsed are the statements of the file that are asked for, each on its own: LibCST takes many times as long as
    `ast`. The last one alone is kept.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._parts: dict[ast.AST, _Part] = {}

    def node(self, node: Placed, kind: type[N]) -> N:
        """The LibCST node of `node`, which is a `kind`.

        Raises:
          SourceError: LibCST cannot read the statement around it, or sees nothing of the kind there.
        """
        part = self._part(node)
        for span in self._spans(node):
            for name in _KINDS.get(type(node).__name__, (type(node).__name__,)):
                found = part.index.get((span, name))
                if isinstance(found, kind):
                    return found
        path = self._module.source.path
        raise SourceError(path, f"line {node.lineno} cannot be rewritten: LibCST reads it differently")

    def span(self, node: libcst.CSTNode) -> Span:
        """The span of `node`, the last one found or inside it, without its parentheses."""
        (part,) = self._parts.values()
        return part.span(node)

    def _part(self, node: Placed) -> "_Part":
        top: ast.AST = node
        for outer in self._module.ancestors(node):
            if isinstance(outer, ast.Module):
                break
            top = outer
        if top not in self._parts:
            self._parts = {top: _Part(self._module.source, self._module.span(top))}
        return self._parts[top]

    def _spans(self, node: Placed) -> Iterator[Span]:
        lines, text = self._module.source.lines, self._module.source.text
        assert node.end_lineno is not None and node.end_col_offset is not None
        span = Span(lines.offset(node.lineno, node.col_offset), lines.offset(node.end_lineno, node.end_col_offset))
        if isinstance(node, ast.arg):
            yield Span(span.start, span.start + len(node.arg.encode()))
        elif isinstance(node, ast.GeneratorExp | ast.Tuple):
            # `ast` counts their parentheses, LibCST does not. In `(a), (b)` there are none: no node is at `a), (b`.
            inner = _INSIDE.fullmatch(text, span.start, span.end)
            if inner is not None:
                yield Span(*inner.span(1))
        yield span


class _Part:
    """The nodes of the statement at `whole`; places are those in the file.

    Only places are taken from it, never text: LibCST forgets form feeds and blanks after the last newline.
    """

    def __init__(self, source: SourceFile, whole: Span) -> None:
        self._start = whole.start
        line = source.lines.line(whole.start)
        wrapper = _parsed(source.path, source.text[whole.start : whole.end], line)
        self._places = dict(wrapper.resolve(ByteSpanPositionProvider))
        # The outermost wins, as in `ast`: `a or b or c` is one node there.
        self.index = {(self.span(node), type(node).__name__): node for node in self._places}

    def span(self, node: libcst.CSTNode) -> Span:
        place = self._places[node]
        return Span(self._start + place.start, self._start + place.start + place.length)


def _parsed(path: str, statement: bytes, line: int) -> MetadataWrapper:
    text = _readable(statement)
    try:
        module = libcst.parse_module(text.decode())  # as text: the bytes are UTF-8, whatever the file declares
    except libcst.ParserSyntaxError as error:
        raise SourceError(path, f"line {line + error.raw_line - 1}: LibCST cannot read it") from error
    except BaseException as error:
        # A panic of its parser, as at odd newlines in LibCST 1.9, does not derive from Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise SourceError(path, f"line {line}: LibCST cannot read it") from error
    if module.code.encode() != text:
        raise SourceError(path, f"line {line} cannot be rewritten: LibCST loses a part of it")
    return MetadataWrapper(module, unsafe_skip_copy=True)


_INSIDE = re.compile(rb"\(\s*(.*?)\s*\)", re.DOTALL)
_PAGE = re.compile(rb"(\A|\r\n|\r|\n)(\x0c+)")


def _readable(text: bytes) -> bytes:
    """`text` with every token in its place, without what LibCST 1.9 loses: form feeds, blanks after the last line."""
    text = _PAGE.sub(lambda page: b" " * len(page[2]) + page[1] if page[1] else b"\n" * len(page[2]), text)
    ended = text.rstrip(b" \t\x0c\r\n\\")
    return ended + b"\n" if len(ended) < len(text) else text
