"""What an expression may stand for where no expression of the text is it."""

import ast
from collections.abc import Iterable

from jaxfix.dataflow.loop_carry import Carried
from jaxfix.library.facets import Dtype
from jaxfix.library.table import short_names
from jaxfix.semantic.records import Key

Sources = tuple[ast.AST, ...]
"""Expressions, and parameters (`ast.arg`) and other binders of which no expression is known."""
CASTS = short_names(Dtype.LIKE)
UNREAD = ast.Pass()
"""What nothing is known of."""
WHOLE = ""
"""The key of a state that has no parts."""


class Part(ast.AST):
    """The field, key or position `key` of what an opaque parameter takes; `WHOLE` is all of it."""

    _fields = ()

    def __init__(self, key: Key) -> None:
        super().__init__()
        self.key = key


class CastLike(ast.AST):
    """The part at `path` of what `call` casts to the dtypes of another tree, as `optax.tree.cast_like` does."""

    _fields = ()

    def __init__(self, call: ast.Call, path: tuple[Key, ...]) -> None:
        super().__init__()
        self.call, self.path = call, path


def in_text(sources: Iterable[ast.AST]) -> Sources:
    """`sources` without repetition, in the order of the text."""
    found = tuple(dict.fromkeys(sources))
    return tuple(sorted(found, key=_place)) if len(found) > 1 else found


def _place(source: ast.AST) -> tuple[int, int, int, int, str]:
    match source:
        case Part(key=key):
            return 0, 0, 0, 0, str(key)
        case CastLike(path=path):
            return *_span(source.call), f"cast {path}"
        case Carried(flow=flow, path=path):
            return *_span(source.call), f"{flow.loops} {[_place(expr) for expr, _ in flow.first]} {path}"
    return *_span(source), type(source).__name__


def _span(node: ast.AST) -> tuple[int, int, int, int]:
    names = ("lineno", "end_lineno", "col_offset", "end_col_offset")
    line, last, column, end = (getattr(node, name, None) or 0 for name in names)
    return line, last, column, end
