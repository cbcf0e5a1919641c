"""What a generator yields, and the state that it leaves where its caller stops it, or changes something in between."""

import ast
from collections.abc import Callable, Generator, Iterable, Iterator
from types import CodeType, GeneratorType
from typing import Any

from .between import Between
from .effects import definitions
from .perturb import changed, is_plain
from .supplied import Refused, Supplied

_MOST = 8
Generated = Generator[Any, Any, Any]
Meanwhile = Callable[[Generated, Supplied, list[Any]], Callable[[], None]]
"""What a caller does after the first value, of what it has got so far, and may add to; returns how to undo it."""


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
                undo = meanwhile(value, given, found)
    except StopIteration as end:
        return {"yields": found, "returned": end.value}
    finally:
        value.close()
        if undo is not None:
            undo()
    return {"yields": found}


def callers(codes: Iterable[tuple[CodeType, Any]]) -> Iterator[tuple[str, Meanwhile]]:
    """What callers of a generator do, in words; they send it something only where one of these sources takes that."""
    if any(_takes(node) for code, _ in codes for node in definitions(code)):
        yield "and sent another value after its first", _send
    yield "and an error thrown into it", _throw
    yield "and closed after its first value", _close
    yield "and what it reads changed after its first value", _change


def _takes(definition: ast.AST) -> bool:
    """Whether a function does something with what is sent to it."""
    dropped = {id(part.value) for part in ast.walk(definition) if isinstance(part, ast.Expr)}
    yields = (part for part in ast.walk(definition) if isinstance(part, ast.Yield | ast.YieldFrom))
    return any(id(part) not in dropped for part in yields)


def _send(value: Generated, given: Supplied, found: list[Any]) -> Callable[[], None]:
    last = found[-1]
    found.append(value.send(changed(last) if is_plain(last) else last))
    return _nothing


def _throw(value: Generated, given: Supplied, found: list[Any]) -> Callable[[], None]:
    value.throw(Refused("refused by the caller"))
    return _nothing


def _close(value: Generated, given: Supplied, found: list[Any]) -> Callable[[], None]:
    value.close()
    return _nothing


def _change(value: Generated, given: Supplied, found: list[Any]) -> Callable[[], None]:
    between = Between(given)
    between.change()
    return between.restore


def _nothing() -> None:
    pass
