"""What an expression may stand for where no expression of the text is it."""

import ast

from jaxfix.library.facets import Dtype
from jaxfix.library.table import short_names
from jaxfix.semantic.records import Key

Sources = tuple[ast.AST, ...]
"""Expressions, and parameters (`ast.arg`) and other binders of which no expression is known."""
CASTS = short_names(Dtype.LIKE)
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
