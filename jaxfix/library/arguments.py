"""Which arguments of a call of JAX make a shape, and which are functions."""

import ast
from collections.abc import Iterator

from jaxfix.library.facets import Transform
from jaxfix.library.table import ROWS, short_names, unfiltered, where

_OF_ARRAYS = "jax.Array."
_PLACES = {row.name: row.shape_at for row in ROWS if row.shape_at is not None}
_SHAPES = {name.rpartition(".")[2]: at for name, at in _PLACES.items() if not name.startswith(_OF_ARRAYS)}
_METHODS = {name.removeprefix(_OF_ARRAYS): at for name, at in _PLACES.items() if name.startswith(_OF_ARRAYS)}
_INDICES = {row.name: row.index_at for row in ROWS if row.index_at is not None}
_STATIC_KEYWORDS = frozenset({"axis", "axes", "shape", "dtype", "num", "length", "num_classes", "has_aux", "argnums"})
_FUNCTION_TAKERS = unfiltered(where(Transform.DIFFERENTIATES) | where(Transform.BATCHES)) | short_names(
    Transform.SAME_RESULT, "jax"
)


def shapes(call: ast.Call, last: str) -> Iterator[ast.expr]:
    """What `call`, of a JAX function with that last name, makes a shape or a type of."""
    yield from call.args[_SHAPES[last]] if last in _SHAPES else ()
    yield from (keyword.value for keyword in call.keywords if keyword.arg in _STATIC_KEYWORDS)


def shapes_of_method(call: ast.Call) -> Iterator[ast.expr]:
    """The same of `call`, if it is of a method that has the name of one of arrays."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
        yield from call.args[_METHODS[call.func.attr]]


def index_of(call: ast.Call, qualname: str) -> ast.expr | None:
    """What `call`, of the function of that name, passes as the place of an element; None where it takes none."""
    place = _INDICES.get(qualname)
    return call.args[place] if place is not None and place < len(call.args) else None


def takes_function(qualname: str) -> bool:
    """Whether the first argument of a transformation of that name is a function."""
    return qualname.rpartition(".")[2].removeprefix("filter_") in _FUNCTION_TAKERS
