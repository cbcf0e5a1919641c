"""What objects that are trees to jax hold beside their leaves, and what it takes them apart into leaves out."""

import copy
import sys
from collections.abc import Iterator
from typing import Any

from .fields import fields
from .near import smaller

_PLAIN = (bool, int, float, str)
_MOST = 64


def hidden(value: Any) -> list[tuple[str, Any, str]]:
    """The attributes that are lost where jax takes the value apart and puts it together: path, owner and name."""
    return [(f"{path}.{name}", node, name) for path, node in _nodes(value) for name in _lost(node)]


def put(value: Any, held: list[Any]) -> Any:
    """The value, made of the same leaves, with what it had hidden."""
    for (_, owner, name), what in zip(hidden(value), held, strict=False):
        object.__setattr__(owner, name, what)
    return value


def others(value: Any) -> Iterator[Any]:
    """Other values of the same type."""
    if isinstance(value, bool):
        yield not value
        return
    yield f"{value}_other" if isinstance(value, str) else value + 1
    yield from smaller(value) if isinstance(value, int) else ()


def _nodes(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The objects in a value that jax takes apart by registered functions, the outer ones first."""
    children = _children(value)
    if children is None:
        return
    if _is_told(type(value)):
        yield path, value
    for number, child in enumerate(children[:_MOST]):
        yield from _nodes(child, f"{path}[{number}]")


def _children(value: Any) -> list[Any] | None:
    """What jax takes the value apart into; None if it is a leaf."""
    jax = sys.modules.get("jax")
    if value is None or jax is None or isinstance(value, _PLAIN) or not hasattr(jax, "tree_util"):
        return None
    try:
        taken = jax.tree_util.default_registry.flatten_one_level(value)
    except Exception:  # keys that cannot be ordered, or code of the user's
        return None
    return None if taken is None else list(taken[0])


def _is_told(kind: type) -> bool:
    """Whether instances have attributes, which jax does not know how to take apart by itself."""
    return hasattr(kind, "__dict__") and not issubclass(kind, tuple | list | dict)


def _lost(node: Any) -> list[str]:
    """The attributes that hold a number or a text which another one of its class has lost."""
    kind = type(node)
    if kind not in _KNOWN:
        _KNOWN[kind] = {}
    known = _KNOWN[kind]
    names = [name for name in fields(node) if isinstance(getattr(node, name, None), _PLAIN)]
    for name in names:
        if name not in known:
            known[name] = _is_lost(node, name)
    return [name for name in names if known[name]]


_KNOWN: dict[type, dict[str, bool]] = {}


def _is_lost(node: Any, name: str) -> bool:
    jax = sys.modules["jax"]
    try:
        changed = copy.copy(node)
        wanted = next(others(getattr(node, name)))
        object.__setattr__(changed, name, wanted)
        children, tree = jax.tree_util.tree_flatten(changed, is_leaf=lambda part: part is not changed)
        rebuilt = jax.tree_util.tree_unflatten(tree, children)
        return rebuilt is not changed and (not hasattr(rebuilt, name) or getattr(rebuilt, name) != wanted)
    except Exception:  # whatever its class forbids
        return False
