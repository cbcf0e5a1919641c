"""What the parameters of a function are declared to be: a Python number, and no array."""

import ast
from types import CodeType

from .effects import definitions
from .samples import is_array

_NUMBERS: dict[str, tuple[type, ...]] = {"bool": (bool,), "int": (int,), "float": (float, int)}
ARRAYS = "arrays for what is declared a number"


def numbers(code: CodeType) -> dict[str, tuple[type, ...]]:
    """The parameters that are declared Python numbers, and the types that these may have."""
    found: dict[str, tuple[type, ...]] = {}
    for node in definitions(code):
        for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            kinds = [kind for part in _parts(arg.annotation) for kind in _NUMBERS.get(part, ())]
            if kinds and "?" not in _parts(arg.annotation):
                found[arg.arg] = tuple(kinds)
    return found


def _parts(node: ast.expr | None) -> list[str]:
    """The names of a union, with `?` for what is none; None counts for nothing."""
    match node:
        case ast.Name(id=name) if name in _NUMBERS:
            return [name]
        case ast.Constant(value=None):
            return []
        case ast.Constant(value=str() as text) if text in _NUMBERS:
            return [text]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*_parts(left), *_parts(right)]
    return ["?"]


def is_barred(kinds: tuple[type, ...] | None, value: object) -> bool:
    """Whether a parameter that is declared so is never given an array of this kind."""
    is_number = isinstance(value, int | float)
    return kinds is not None and not is_number and (is_array(value) or hasattr(value, "dtype"))
