"""What literals mean to JAX: those that options of transformations take, and the names of dtypes."""

import ast
from collections.abc import Callable

_Check = Callable[[object], bool]


def is_usual(option: str, value: ast.expr) -> bool:
    """Whether `value` is a literal of the kind that the option of a transformation of JAX takes."""
    check = _KINDS.get(option)
    literal = _literal(value)
    return check is not None and literal is not _UNREAD and check(literal)


_UNREAD = object()


def _literal(expr: ast.expr) -> object:
    """The value of a literal; not by `ast.literal_eval`, which leaves cycles of closures as garbage."""
    match expr:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Tuple(elts=parts):
            found = tuple(map(_literal, parts))
            return _UNREAD if _UNREAD in found else found
    return _UNREAD


def _is_position(value: object) -> bool:
    return type(value) is int


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_axis(value: object) -> bool:
    return value is None or type(value) is int or (isinstance(value, tuple) and all(map(_is_axis, value)))


def _one_or_more(check: _Check) -> _Check:
    return lambda value: check(value) or (isinstance(value, tuple) and all(map(check, value)))


_KINDS: dict[str, _Check] = {
    **dict.fromkeys(("argnums", "static_argnums", "donate_argnums"), _one_or_more(_is_position)),
    **dict.fromkeys(("static_argnames", "donate_argnames"), _one_or_more(_is_text)),
    **dict.fromkeys(("in_axes", "out_axes"), _is_axis),
    **dict.fromkeys(("has_aux", "holomorphic", "allow_int", "keep_unused", "inline", "prevent_cse"), _is_flag),
    "axis_name": _is_text,
    "axis_size": _is_position,
}

_WIDE = frozenset(
    {
        *("float64", "int64", "uint64", "complex128", "double", "long", "ulong", "longlong", "ulonglong"),
        *("f8", "i8", "u8", "c16", "d", "l", "q", "D", "L", "Q", "g", "G"),
    }
)


def is_wide(text: str) -> bool:
    """Whether a text names a dtype of 64 bits or more, as NumPy spells it."""
    return text.lstrip("<>=|") in _WIDE
