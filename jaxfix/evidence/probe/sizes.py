"""Arrays of any size: what a function is traced with to learn what holds for all of them."""

import contextlib
import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

_LEAST = 2
_TELLING = ("__eq__", "__ne__", "__hash__", "__truediv__", "__rtruediv__")
_MIXED = ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__pow__", "__rpow__")


def of_any_size(arrays: list[Any]) -> list[Any] | None:
    """Abstract values like these arrays, of any size from 2 on; equal sizes stay equal. None where nothing may vary."""
    core, export = importlib.import_module("jax._src.core"), importlib.import_module("jax.export")
    sizes = sorted({size for leaf in arrays for size in _varying(leaf)})
    if not sizes:
        return None
    names = ", ".join(f"n{size}" for size in sizes)
    made = export.symbolic_shape(names, constraints=[f"n{size} >= {_LEAST}" for size in sizes])
    symbols = dict(zip(sizes, made, strict=True))

    def abstract(leaf: Any) -> Any:
        varying = _varying(leaf)
        shape = tuple(symbols[size] if size in varying else size for size in leaf.shape)
        return core.ShapedArray(shape, leaf.dtype, weak_type=bool(getattr(leaf, "weak_type", False)))

    return [abstract(leaf) for leaf in arrays]


def _varying(leaf: Any) -> set[int]:
    """The sizes of an array that may be others: not those of raw keys."""
    return {size for size in leaf.shape if size >= _LEAST and not (str(leaf.dtype) == "uint32" and size in (2, 4))}


class Sizes:
    """Whether a function has asked for a size what only a number can answer, such as whether it is 128.

    A symbolic size answers that it is not: what was traced then says nothing of arrays of that size.
    """

    def __init__(self) -> None:
        self.were_told_apart = False

    @contextlib.contextmanager
    def watched(self, arrays: list[Any]) -> Iterator[None]:
        """Looks at what is asked outside of jax in the block."""
        kind = next((type(size) for leaf in arrays for size in leaf.shape if not isinstance(size, int)), None)
        held = {name: vars(kind)[name] for name in (*_TELLING, *_MIXED) if kind and name in vars(kind)}
        for name, method in held.items():
            setattr(kind, name, self._asked(method, kind, always=name in _TELLING))
        try:
            yield
        finally:
            for name, method in held.items():
                setattr(kind, name, method)

    def _asked(self, method: Callable[..., Any], kind: Any, *, always: bool) -> Callable[..., Any]:
        jax = os.path.dirname(importlib.import_module("jax").__file__ or "")
        inner = jax, os.path.dirname(__file__), "<"

        @functools.wraps(method)
        def asked(size: Any, *others: Any) -> Any:
            is_exact = not always and all(isinstance(other, int | kind) for other in others)
            file = sys._getframe(1).f_code.co_filename
            if not is_exact and not file.startswith(inner):
                self.were_told_apart = True
            return method(size, *others)

        return asked
