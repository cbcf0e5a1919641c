"""What a generator yields, and the state that it leaves where its caller stops it, or changes something in between."""

from collections.abc import Callable, Generator, Iterator
from types import GeneratorType
from typing import Any

from .between import Between
from .supplied import Refused, Supplied

_MOST = 8
Generated = Generator[Any, Any, Any]
Meanwhile = Callable[[Generated, Supplied], Callable[[], None]]
"""What a caller does after the first value; returns how to undo it."""


def drained(value: Any, given: Supplied, meanwhile: Meanwhile | None) -> Any:
    """The first values of a generator and what it returns; anything else as it is."""
    if not isinstance(value, GeneratorType):
        return value
    found: list[Any] = []
    undo: Callable[[], None] | None = None
    try:
        for _ in range(_MOST):
            found.append(next(value))
            if len(found) == 1 and meanwhile is not None:
                undo = meanwhile(value, given)
    except StopIteration as end:
        return {"yields": found, "returned": end.value}
    finally:
        value.close()
        if undo is not None:
            undo()
    return {"yields": found}


def callers() -> Iterator[tuple[str, Meanwhile]]:
    """What callers of a generator do, in words."""
    yield "and an error thrown into it", _throw
    yield "and closed after its first value", _close
    yield "and what it reads changed after its first value", _change


def _throw(value: Generated, given: Supplied) -> Callable[[], None]:
    value.throw(Refused("refused by the caller"))
    return _nothing


def _close(value: Generated, given: Supplied) -> Callable[[], None]:
    value.close()
    return _nothing


def _change(value: Generated, given: Supplied) -> Callable[[], None]:
    between = Between(given)
    between.change()
    return between.restore


def _nothing() -> None:
    pass
