"""Callables and lists of the caller's that change, when they are used, what else the function was given.

A hook may assign to the object that it gets, an iterator may follow a schedule: what is read after them has to be read
after them. Nothing changes while jax traces, when a rewrite may read in another order.
"""

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from .perturb import changed, is_plain
from .supplied import Change, Supplied, is_traced

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
      supplied: what it was given.
    """

    def __init__(self, supplied: Supplied) -> None:
        self.supplied = supplied
        self.held = [(write, value) for write, value in self._places() if is_plain(value)][:_MOST]

    def users(self) -> list[str]:
        """What may change something when it is used."""
        return self.supplied.names(_is_telling) if self.held else []

    def put(self, user: str) -> Callable[[], None]:
        """Puts what changes something in the place of that; returns how to undo all."""
        undo = self.supplied.put(user, self._made)

        def undone() -> None:
            undo()
            self.restore()

        return undone

    def change(self) -> None:
        """Changes it now; not while jax traces."""
        if not is_traced():
            for write, value in self.held:
                write(changed(value))

    def restore(self) -> None:
        """Restores the previous value."""
        for write, held in self.held:
            write(held)

    def _made(self, value: Any) -> Any:
        return Turning(value, self.change) if isinstance(value, list) else self._wrapped(value)

    def _wrapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **keywords: Any) -> Any:
            returned = function(*args, **keywords)
            self.change()
            return returned

        return called

    def _places(self) -> Iterator[tuple[Write, Any]]:
        """Attributes of objects and entries of dictionaries, and how to write to them."""
        for _, owner in self.supplied.objects():
            for attribute in self.supplied.attributes(owner):
                yield _attribute(owner, attribute), getattr(owner, attribute)
        for value in self.supplied.arguments.values():
            if isinstance(value, dict):
                yield from ((_entry(value, key), held) for key, held in value.items())


def changing(user: str) -> Change:
    """What may change something does when it is used."""
    return Change(lambda given: Between(given).put(user), lambda returned: returned)


def _is_telling(value: Any) -> bool:
    return isinstance(value, FunctionType) or (type(value) is list and len(value) > 1)


def _attribute(owner: Any, name: str) -> Write:
    return lambda value: object.__setattr__(owner, name, value)


def _entry(container: dict[Any, Any], key: Any) -> Write:
    return lambda value: container.__setitem__(key, value)
