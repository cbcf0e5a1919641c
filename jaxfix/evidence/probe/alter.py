"""Something else in the place of a value: of numbers, and of all that is made of them or may be called."""

import copy
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from .fields import fields
from .near import smaller
from .perturb import changed, doubled, is_plain
from .values import is_function

_DEEPEST, _MOST = 3, 64


@dataclass(frozen=True, slots=True)
class Alter:
    """Makes other values.

    Attributes:
      is_mine: whether a module, by name, is the user's: objects of others' classes stay unchanged.
      texts: what a text may be instead.
      number: what a number is instead, and only that is another; None for something else in the place of all.
    """

    is_mine: Callable[[str], bool]
    texts: Sequence[str] = ()
    number: Callable[[Any], Any] | None = None

    def smaller(self) -> "tuple[Alter, ...]":
        """What makes the numbers in a value smaller, and nothing else: integers by one and by half, all zero."""
        return tuple(replace(self, number=number) for number in (_one_less, _half, _zero))

    def __call__(self, value: Any, depth: int = 0) -> Any:
        """Something else of the same kind; `value` itself where nothing else is known."""
        if self.number is not None and not isinstance(value, tuple | list | dict) and not self.is_object(value):
            return self.number(value)
        if is_plain(value):
            return changed(value)
        if isinstance(value, str):
            return self._text(value)
        if value is None:
            return value if depth else 1.0
        if is_function(value):
            return doubled(cast(Callable[..., Any], value))
        if depth >= _DEEPEST:
            return value
        if isinstance(value, tuple | list | dict):
            return self._container(value, depth)
        return self._object(value, depth) if self.is_object(value) else value

    def is_object(self, value: Any) -> bool:
        """Whether the value is an instance of a class of the user's."""
        kind = type(value)
        return not isinstance(value, type) and self.is_mine(kind.__module__) and not hasattr(kind, "_fields")

    def _text(self, value: str) -> str:
        for kind in (int, float):
            try:
                return str(changed(kind(value)))
            except ValueError:
                continue
        return next((text for text in self.texts if text != value), f"{value}_other")

    def _container(self, value: Any, depth: int) -> Any:
        items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        if len(items) > _MOST:
            return value
        new = {key: self(item, depth + 1) for key, item in items}
        if all(new[key] is item for key, item in items):
            return value
        try:
            if isinstance(value, dict):
                other = copy.copy(value)
                other.update(new)
                return other
            return value._make(new.values()) if hasattr(value, "_make") else type(value)(new.values())
        except Exception:  # a class of the user's, with a constructor of its own
            return value

    def _object(self, value: Any, depth: int) -> Any:
        try:
            other, same = copy.copy(value), True
            for name in fields(value):
                held = getattr(value, name)
                new = held if held is None else self(held, depth + 1)
                if new is not held:
                    object.__setattr__(other, name, new)
                    same = False
        except Exception:  # whatever the class forbids
            return value
        return value if same or other is value else other


def _one_less(value: Any) -> Any:
    return smaller(value)[0] if type(value) is int else value


def _half(value: Any) -> Any:
    return smaller(value)[-1] if type(value) is int else value


def _zero(value: Any) -> Any:
    return type(value)(0) if type(value) in (int, float) and value else value


def in_place(value: Any) -> bool:
    """Whether the value is an array that can be changed in place."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray) and value.flags.writeable and is_plain(value)
