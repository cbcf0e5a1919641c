"""Whether callers can go on to call a rewritten function as they called the original: names, order and defaults."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from .originals import Text

DEFAULTS = "what its parameters default to"
MESHES = "a call outside of its mesh"


class Change(NamedTuple):
    """The parameters of both, as their texts have them."""

    before: str
    after: str


class _Parameter(NamedTuple):
    name: str
    default: ast.expr | None


def changed(qualname: str, before: Text, after: Text) -> Change | None:
    """How the parameters have changed for a caller; None of a local function, whose callers are in the same text."""
    nodes = [text.nodes.get(qualname, []) for text in (before, after)]
    if "<locals>" in qualname or any(len(found) != 1 for found in nodes):
        return None
    old, new = (found[0].args for found in nodes)
    if ast.dump(old) == ast.dump(new) or not (_is_lost(old, new, is_method="." in qualname)):
        return None
    return Change(ast.unparse(old), ast.unparse(new))


def unknown(qualname: str, before: Text, after: Text) -> bool:
    """Whether a default has become another expression, whose value may differ."""
    nodes = [text.nodes.get(qualname, []) for text in (before, after)]
    if any(len(found) != 1 for found in nodes):
        return False
    old, new = (dict(_all(found[0].args)) for found in nodes)
    return any(_value(one) is None or _value(new[name]) is None for name, one in old.items() if _differ(one, new, name))


def loses_its_mesh(before: Text, after: Text) -> bool:
    """Whether a `pjit`, which asks for a mesh around its calls, has become something else."""
    return "pjit" in _names(before) - _names(after)


def _names(text: Text) -> set[str]:
    """The names that a text imports, and the attributes that it reads."""
    nodes = list(ast.walk(text.tree))
    imported = {node.asname or node.name for node in nodes if isinstance(node, ast.alias)}
    return imported | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _differ(old: ast.expr | None, new: dict[str, ast.expr | None], name: str) -> bool:
    other = new.get(name)
    return old is not None and other is not None and ast.dump(old) != ast.dump(other)


def _is_lost(old: ast.arguments, new: ast.arguments, *, is_method: bool) -> bool:
    """Whether a call that the original takes is taken no more, or means something else."""
    if new.vararg is not None and new.kwarg is not None:
        return False
    first, second = list(_positional(old)), list(_positional(new))
    named = list(zip(first, second, strict=False))[len(old.posonlyargs) or int(is_method) :]
    keywords = {arg.name: arg for arg in (*second, *_keywords(new))}
    known = {arg.name for arg in (*first, *_keywords(old))}
    return (
        len(second) < len(first)
        or any(one.name != other.name for one, other in named)
        or any(arg.name not in keywords and new.kwarg is None for arg in _keywords(old))
        or any(arg.default is None and arg.name not in known for arg in (*second[len(first) :], *_keywords(new)))
        or any(_is_other(arg.default, keywords.get(arg.name)) for arg in (*first, *_keywords(old)))
        or (old.vararg is not None and new.vararg is None)
        or (old.kwarg is not None and new.kwarg is None)
    )


def _is_other(default: ast.expr | None, now: _Parameter | None) -> bool:
    """Whether what is left out is no longer the same, as far as both are written out."""
    if default is None or now is None or (now.default is not None and ast.dump(default) == ast.dump(now.default)):
        return False
    if now.default is None:
        return True
    old, new = _value(default), _value(now.default)
    return old is not None and new is not None and old != new


def _value(node: ast.expr | None) -> tuple[str, str] | None:
    """The type and value of a literal."""
    if node is None:
        return None
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return type(value).__name__, repr(value)


def _positional(args: ast.arguments) -> Iterator[_Parameter]:
    every = [*args.posonlyargs, *args.args]
    defaults = [*[None] * (len(every) - len(args.defaults)), *args.defaults]
    yield from (_Parameter(arg.arg, default) for arg, default in zip(every, defaults, strict=True))


def _keywords(args: ast.arguments) -> Iterator[_Parameter]:
    yield from (_Parameter(arg.arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True))


def _all(args: ast.arguments) -> Iterator[_Parameter]:
    yield from _positional(args)
    yield from _keywords(args)
