"""Numbers of the host that grow from call to call: a longer run of the same program passes larger ones."""

import importlib
from collections.abc import Iterator
from typing import Any

_LATER, _LARGEST = 10**6, 2**31 - 1
"""So many calls later, and the last integer that 32 bits hold: beyond it `jit` raises."""
_WHOLE, _OTHERS = 4, 8
"""Calls after which a number grows: integers count, data may rise by chance."""
_FEW = 64
"""Values of an array that are followed."""


class Growing:
    """Follows the numbers among the arguments of one function."""

    def __init__(self) -> None:
        self._calls = 0
        self._first: dict[int, Any] = {}
        self._last: dict[int, Any] = {}
        self._gained: dict[int, int] = {}
        self._faster = frozenset[int]()

    def saw(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """Notes the arguments of one call."""
        leaves = importlib.import_module("jax").tree_util.tree_leaves((args, keywords))
        numbers = dict(_followed(leaves))
        gained = {
            at: abs(new) - abs(self._last[at]) for at, new in numbers.items() if _are_integers(self._last, at, new)
        }
        if self._calls:
            kept = (at for at in self._first if at in numbers and _has_grown(self._last[at], numbers[at]))
            self._first = {at: self._first[at] for at in kept}
        else:
            self._first = dict(numbers)
        if self._calls < 2:
            self._faster = frozenset(gained)
        else:
            self._faster = frozenset(at for at in self._faster if at in gained and gained[at] > self._gained[at])
        self._gained = gained
        self._last, self._calls = numbers, self._calls + 1

    def places(self) -> frozenset[int]:
        """The leaves that were larger in every call than in the one before, over enough of them."""
        return frozenset(
            at for at, first in self._first.items() if self._calls >= (_WHOLE if type(first) is int else _OTHERS)
        )

    def outgrowing(self) -> frozenset[int]:
        """The Python integers that 32 bits do not hold later: these grow ever faster, or by much in each call."""
        rates = {at: (self._last[at] - self._first[at]) / (self._calls - 1) for at in self.places()}
        found = (at for at, rate in rates.items() if type(self._last[at]) is int and self._is_fast(at, rate))
        return frozenset(found)

    def _is_fast(self, at: int, rate: float) -> bool:
        return at in self._faster or abs(self._last[at]) + abs(rate) * _LATER > _LARGEST

    def later(self) -> dict[int, Any]:
        """What these are many calls later, if they go on so; not so late that an integer has more than 32 bits."""
        np = importlib.import_module("numpy")
        rates = {at: (self._last[at] - self._first[at]) / (self._calls - 1) for at in self.places()}
        calls = float(_LATER)
        for at, rate in rates.items():
            if not _is_float(self._last[at]):
                calls = min(calls, float(np.min((_LARGEST - np.abs(self._last[at])) / np.abs(rate))))
        moved = {at: self._last[at] + rate * max(int(calls), 0) for at, rate in rates.items()}
        return {at: _typed(value, self._last[at]) for at, value in moved.items()}


def _followed(leaves: list[Any]) -> Iterator[tuple[int, Any]]:
    """The numbers that `jit` gives 32 bits."""
    np = importlib.import_module("numpy")
    for at, leaf in enumerate(leaves):
        if type(leaf) in (int, float):
            yield at, leaf
        elif isinstance(leaf, np.ndarray | np.generic) and 0 < leaf.size <= _FEW and _is_long(leaf.dtype):
            yield at, leaf.copy()


def _is_long(dtype: Any) -> bool:
    return bool(dtype.kind in "iuf" and dtype.itemsize == 8)


def _are_integers(last: dict[int, Any], at: int, new: Any) -> bool:
    return type(new) is int and type(last.get(at)) is int


def _has_grown(old: Any, new: Any) -> bool:
    """Whether each value is farther from zero, on the same side of it."""
    np = importlib.import_module("numpy")
    if np.shape(old) != np.shape(new):
        return False
    same = np.sign(old) * np.sign(new) >= 0
    return bool(np.all(same & (np.abs(new) > np.abs(old))))


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def _typed(value: Any, like: Any) -> Any:
    """The value as one of the type of another."""
    if type(like) in (int, float):
        return type(like)(value)
    return importlib.import_module("numpy").asarray(value).astype(like.dtype)[()]
