"""Arguments that a wrapper of `jax.jit` has taken apart: arrays in dictionaries, the rest and the trees as static.

So does `filter_jit` of equinox: `static` holds, of the function, its first argument and the others, the leaves that
are not arrays and the structure; the arrays are in dictionaries under `fun`, `first` and `rest`.
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

Path = tuple[Any, ...]

_PARTS = ("fun", "first", "rest")
_PATH = re.compile(r"\w+\['(fun|first|rest)'\]\[(\d+)\]")


class Apart:
    """The names that a user has for what was taken apart."""

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self._parts = dict(zip(_PARTS, parts, strict=True))
        self._parameters = _parameters(parts[0][0])
        self._names = {part: [*self._named(part, tree)] for part, (_, tree) in self._parts.items()}

    def name(self, path: str) -> str:
        """The name of the leaf at a path of the wrapper, such as `model.weight`; any other path as it is."""
        found = _PATH.fullmatch(path)
        names = self._names[found[1]] if found else []
        number = int(found[2]) if found else 0
        return names[number] if number < len(names) else path

    def values(self) -> Iterator[tuple[str, Any]]:
        """The static arguments by name; differences of structure alone come last."""
        for part, (leaves, _) in self._parts.items():
            named = zip(self._names[part], leaves, strict=True)
            yield from ((name, leaf) for name, leaf in named if leaf is not None)
        firsts = self._parameters[:1] or ["first"]
        yield from zip(("function", *firsts, "arguments"), (tree for _, tree in self._parts.values()), strict=True)

    def trees(self) -> Iterator[tuple[Any, list[Path], Callable[[Path], str]]]:
        """The structure of each part, the path of each leaf, and what names a node by its path."""
        for part, (_, tree) in self._parts.items():
            yield tree, _paths(tree), partial(self._name_of, part)

    def _named(self, part: str, tree: Any) -> Iterator[str]:
        yield from (self._name_of(part, path) for path in _paths(tree))

    def _name_of(self, part: str, path: Path) -> str:
        keystr = sys.modules["jax"].tree_util.keystr
        if part == "fun":
            return f"function{keystr(path)}"
        if part == "first":
            return f"{(self._parameters[:1] or ['first'])[0]}{keystr(path)}"
        return f"{self._argument(path)}{keystr(path[2:])}"

    def _argument(self, path: Path) -> str:
        """The name of one of the other arguments, which are a tuple and a dictionary."""
        which, key = path[0].idx, path[1]
        if which == 1:
            return str(key.key)
        number = key.idx + 1
        return self._parameters[number] if number < len(self._parameters) else f"args[{number}]"


def apart(value: Any) -> Apart | None:
    """The parts that `value`, a static argument, was split into; None for another value."""
    if type(value) is not tuple or len(value) != len(_PARTS) or not all(map(_is_part, value)):
        return None
    try:
        return Apart(value)
    except Exception:  # the user's code puts a node together
        return None


def _paths(tree: Any) -> list[Path]:
    """The path of each leaf."""
    leaves, _ = sys.modules["jax"].tree_util.tree_flatten_with_path(tree.unflatten(range(tree.num_leaves)))
    return [path for path, _ in leaves]


def _is_part(value: Any) -> bool:
    if type(value) is not tuple or len(value) != 2 or type(value[0]) is not tuple:
        return False
    return hasattr(value[1], "unflatten") and getattr(value[1], "num_leaves", None) == len(value[0])


def _parameters(leaves: tuple[Any, ...]) -> list[str]:
    function = next((leaf for leaf in leaves if callable(leaf)), None)
    try:
        return [*inspect.signature(function).parameters] if function is not None else []
    except (TypeError, ValueError):
        return []
