"""Callables and lists of the caller's that change, when they are used, what else the function was given.

A hook may assign to the object that it gets, an iterator may follow a schedule: what is read after them has to be read
after them. Nothing changes while jax traces, when a rewrite may read in another order.
"""

import importlib
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from .fields import fields
from .perturb import changed, is_plain

_MOST = 8
Write = Callable[[Any], None]


class Turning(list[Any]):
    """A list that tells when it is iterated over for the second item."""

    def __init__(self, items: list[Any], told: Callable[[], None]) -> None:
        super().__init__(items)
        self.told = told

    def __iter__(self) -> Iterator[Any]:
        for number in range(len(self)):
            if number == 1:
                self.told()
            yield self[number]


class Between:
    """Changes what a call was given while it runs.

    Args:
      arguments: the very ones of the call.
      mentioned: the names that the functions mention.
      is_object: whether a value is an instance of a class of the user's.
    """

    def __init__(self, arguments: dict[str, Any], mentioned: set[str], is_object: Callable[[Any], bool]) -> None:
        self.arguments, self.mentioned, self.is_object = arguments, mentioned, is_object
        self.held = [(write, value) for write, value in self._places() if is_plain(value)][:_MOST]

    def users(self) -> list[str]:
        """What may change something when it is used, as `parameter` or `parameter.attribute`."""
        found = [name for name, value in self.arguments.items() if _is_telling(value)]
        for name, owner in self._objects():
            found += [f"{name}.{at}" for at in self._attributes(owner) if _is_telling(getattr(owner, at))]
        return found[:_MOST] if self.held else []

    def put(self, user: str) -> Callable[[], None]:
        """Puts what changes something in the place of that; returns how to undo all."""
        name, _, attribute = user.partition(".")
        value = getattr(self.arguments[name], attribute) if attribute else self.arguments[name]
        made = Turning(value, self._change) if isinstance(value, list) else self._wrapped(value)
        owner = self.arguments[name]
        if attribute:
            object.__setattr__(owner, attribute, made)
        else:
            self.arguments[name] = made

        def undo() -> None:
            if attribute:
                object.__setattr__(owner, attribute, value)
            for write, held in self.held:
                write(held)

        return undo

    def _wrapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **keywords: Any) -> Any:
            returned = function(*args, **keywords)
            self._change()
            return returned

        return called

    def _change(self) -> None:
        core = importlib.import_module("jax._src.core")
        if core.trace_state_clean():
            for write, value in self.held:
                write(changed(value))

    def _objects(self) -> Iterator[tuple[str, Any]]:
        yield from ((name, value) for name, value in self.arguments.items() if self.is_object(value))

    def _attributes(self, owner: Any) -> list[str]:
        return sorted(self.mentioned.intersection(fields(owner)))

    def _places(self) -> Iterator[tuple[Write, Any]]:
        """Attributes of objects and entries of dictionaries, and how to write to them."""
        for _, owner in self._objects():
            for attribute in self._attributes(owner):
                yield _attribute(owner, attribute), getattr(owner, attribute)
        for value in self.arguments.values():
            if isinstance(value, dict):
                yield from ((_entry(value, key), held) for key, held in value.items())


def _is_telling(value: Any) -> bool:
    return isinstance(value, FunctionType) or (type(value) is list and len(value) > 1)


def _attribute(owner: Any, name: str) -> Write:
    return lambda value: object.__setattr__(owner, name, value)


def _entry(container: dict[Any, Any], key: Any) -> Write:
    return lambda value: container.__setitem__(key, value)
