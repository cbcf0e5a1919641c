"""From a node of the model to its LibCST node: the one place."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

import libcst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from jaxfix.core.errors import SourceError
from jaxfix.core.source import SourceFile
from jaxfix.core.text import Span

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
    """The LibCST nodes of one file and their places; parsed when first asked.

    Only places are taken from it, never text: LibCST forgets form feeds and blanks after the last newline.
    """

    def __init__(self, source: SourceFile) -> None:
        self._source = source

    def node(self, node: Placed, kind: type[N]) -> N:
        """The LibCST node of `node`, which is a `kind`.

        Raises:
          SourceError: LibCST cannot read the file, or sees nothing of the kind there.
        """
        for span in self._spans(node):
            for name in _KINDS.get(type(node).__name__, (type(node).__name__,)):
                found = self._index.get((span, name))
                if isinstance(found, kind):
                    return found
        raise SourceError(self._source.path, f"line {node.lineno} cannot be rewritten: LibCST reads it differently")

    def span(self, node: libcst.CSTNode) -> Span:
        """Where `node` stands, without its parentheses."""
        place = self._places[node]
        return Span(place.start, place.start + place.length)

    def _spans(self, node: Placed) -> Iterator[Span]:
        lines = self._source.lines
        assert node.end_lineno is not None and node.end_col_offset is not None
        span = Span(lines.offset(node.lineno, node.col_offset), lines.offset(node.end_lineno, node.end_col_offset))
        if isinstance(node, ast.arg):
            yield Span(span.start, span.start + len(node.arg.encode()))
        elif isinstance(node, ast.GeneratorExp | ast.Tuple):
            # `ast` counts their parentheses, LibCST does not. In `(a), (b)` there are none: no node stands at `a), (b`.
            inner = _INSIDE.fullmatch(self._source.text, span.start, span.end)
            if inner is not None:
                yield Span(*inner.span(1))
        yield span

    @cached_property
    def _wrapper(self) -> MetadataWrapper:
        text = _readable(self._source.text)
        try:
            module = libcst.parse_module(text.decode())  # as text: the bytes are UTF-8, whatever the file declares
        except libcst.ParserSyntaxError as error:
            raise SourceError(self._source.path, f"line {error.raw_line}: LibCST cannot read it") from error
        except BaseException as error:
            # A panic of its parser, as at odd newlines in LibCST 1.9, does not derive from Exception.
            if type(error).__name__ != "PanicException":
                raise
            raise SourceError(self._source.path, "LibCST cannot read it") from error
        if module.code.encode() != text:
            raise SourceError(self._source.path, "cannot be rewritten: LibCST loses a part of it")
        return MetadataWrapper(module, unsafe_skip_copy=True)

    @cached_property
    def _places(self) -> dict[libcst.CSTNode, "libcst.metadata.CodeSpan"]:
        return dict(self._wrapper.resolve(ByteSpanPositionProvider))

    @cached_property
    def _index(self) -> dict[tuple[Span, str], libcst.CSTNode]:
        # The outermost wins, as in `ast`: `a or b or c` is one node there.
        return {(self.span(node), type(node).__name__): node for node in self._places}


_INSIDE = re.compile(rb"\(\s*(.*?)\s*\)", re.DOTALL)
_PAGE = re.compile(rb"(\A|\r\n|\r|\n)(\x0c+)")


def _readable(text: bytes) -> bytes:
    """`text` with every token in its place, without what LibCST 1.9 loses: form feeds, blanks after the last line."""
    text = _PAGE.sub(lambda page: b" " * len(page[2]) + page[1] if page[1] else b"\n" * len(page[2]), text)
    ended = text.rstrip(b" \t\x0c\r\n\\")
    return ended + b"\n" if len(ended) < len(text) else text
