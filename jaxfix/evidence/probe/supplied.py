"""What the caller supplies and a function uses: callables that may raise, and what is read one item after the other."""

import ast
import builtins
import functools
import importlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any, NamedTuple

from .effects import definitions
from .fields import fields
from .values import is_function

_MOST, _MOST_KINDS = 8, 3
_READERS = {"iter", "next", "zip", "enumerate", "list", "tuple", "map", "filter", "reversed", "islice", "sum", "chain"}


class Refused(Exception):
    """Raised by a callable of the caller's."""


class Ended(BaseException):
    """As `Refused`, where no `except Exception` sees it."""


class Supplied:
    """The arguments of a call and the attributes of objects among them, in whose place something else can be put.

    Args:
      arguments: the very ones of the call.
      mentioned: the names that the functions mention.
      is_object: whether a value is an instance of a class of the user's.
    """

    def __init__(self, arguments: dict[str, Any], mentioned: set[str], is_object: Callable[[Any], bool]) -> None:
        self.arguments, self.mentioned, self.is_object = arguments, mentioned, is_object

    def names(self, wanted: Callable[[Any], bool]) -> list[str]:
        """What is wanted, as `parameter`, `parameter[item]` or `parameter.attribute`."""
        return [name for name, _, _, value in self._places() if wanted(value)][:_MOST]

    def put(self, name: str, made: Callable[[Any], Any]) -> Callable[[], None]:
        """Puts what is made of a value in its place; returns how to undo it."""
        owner, at, value = next((owner, at, value) for known, owner, at, value in self._places() if known == name)
        write = owner.__setitem__ if isinstance(owner, dict | list) else functools.partial(object.__setattr__, owner)
        write(at, made(value))
        return lambda: write(at, value)

    def objects(self) -> Iterator[tuple[str, Any]]:
        """The objects of the user's among the arguments."""
        yield from ((name, value) for name, value in self.arguments.items() if self.is_object(value))

    def attributes(self, owner: Any) -> list[str]:
        """The attributes of an object that the functions mention."""
        return sorted(self.mentioned.intersection(fields(owner)))

    def _places(self) -> Iterator[tuple[str, Any, Any, Any]]:
        """Each place: its name, who holds it, under what, and what it holds."""
        for name, value in self.arguments.items():
            yield name, self.arguments, name, value
            items = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
            yield from ((f"{name}[{at!r}]", value, at, held) for at, held in [*items][:_MOST])
        for name, owner in self.objects():
            yield from ((f"{name}.{at}", owner, at, getattr(owner, at)) for at in self.attributes(owner))


class Change(NamedTuple):
    """Something else among what a call was given: how to put it there and undo that, and how the call is described."""

    put: Callable[[Supplied], Callable[[], None]]
    told: Callable[[Any], Any]


NO_CHANGE = Change(lambda given: lambda: None, lambda returned: returned)


def standing(name: str, made: Callable[[Any], Any]) -> Change:
    """Replaces an argument by a value made from it."""
    return Change(lambda given: given.put(name, made), lambda returned: returned)


def streaming(name: str, *, fails: bool) -> Change:
    """An iterator in place of a list; the number of items taken is reported."""
    streams: list[Stream] = []

    def made(items: Any) -> Stream:
        streams.append(Stream(items, fails=fails))
        return streams[-1]

    return Change(lambda given: given.put(name, made), lambda value: {"asked": streams[-1].asked, "returned": value})


def ordered(names: list[str]) -> Change:
    """Callables that note their first calls; in which order these were is reported."""
    met: dict[str, None] = {}

    def noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*args: Any, **keywords: Any) -> Any:
            met[name] = None
            return function(*args, **keywords)

        return called

    def put(given: Supplied) -> Callable[[], None]:
        undone = [given.put(name, functools.partial(noting, name)) for name in names]

        def undo() -> None:
            for each in undone:
                each()

        return undo

    return Change(put, lambda value: {"called": ", ".join(met), "returned": value})


def calling_again(name: str, again: Callable[[], Any]) -> Change:
    """A callable that calls the function once more before it does what it does; not while jax traces."""

    def made(function: Callable[..., Any]) -> Callable[..., Any]:
        calls = itertools.count()

        @functools.wraps(function)
        def called(*args: Any, **keywords: Any) -> Any:
            if not is_traced() and not next(calls):
                again()
            return function(*args, **keywords)

        return called

    return standing(name, made)


class Stream:
    """An iterator that counts the items taken, and may fail at the last one."""

    def __init__(self, items: Iterable[Any], *, fails: bool) -> None:
        self.items, self.fails, self.asked = list(items), fails, 0

    def __iter__(self) -> "Stream":
        return self

    def __next__(self) -> Any:
        self.asked += 1
        if self.asked > len(self.items):
            raise StopIteration
        if self.fails and self.asked == len(self.items):
            raise Refused("refused by the caller")
        return self.items[self.asked - 1]


def raisings(codes: Iterable[tuple[CodeType, Any]]) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """How a callable may raise, in words, and how to make one that does, for one call of the function.

    It raises an unexpected error, and those that handlers in these sources name.
    """
    nodes = (part for code, _ in codes for node in definitions(code) for part in ast.walk(node))
    names = (part.id for node in nodes if isinstance(node, ast.ExceptHandler) and node.type for part in _named(node))
    kinds = (getattr(builtins, name, None) for name in dict.fromkeys(names))
    known = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Exception) and kind is not Exception]
    errors: list[type[BaseException]] = [Refused, Ended, *known[:_MOST_KINDS]]
    for kind in errors:
        yield f"raises {kind.__name__}", functools.partial(raising, kind, 1)
    yield "raises at its second call", functools.partial(raising, Refused, 2)


def raising(error: type[BaseException], at: int | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """A callable that raises at one of its calls, or at each; at a later one than the first not while jax traces.

    How often jax traces is what a rewrite may change.
    """
    calls = itertools.count(1)

    @functools.wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        is_late = at is not None and at > 1
        if at in (None, next(calls)) and not (is_late and is_traced()):
            raise error("refused by the caller")
        return function(*args, **keywords)

    return called


def is_traced() -> bool:
    """Whether jax traces here and now."""
    return not importlib.import_module("jax._src.core").trace_state_clean()


def may_leave(codes: Iterable[tuple[CodeType, Any]]) -> bool:
    """Whether what an error leaves may differ: these sources assign to attributes or entries, or care for errors."""
    nodes = (part for code, _ in codes for node in definitions(code) for part in ast.walk(node))
    return any(isinstance(node, ast.Try | ast.With) or _is_store(node) for node in nodes)


def _is_store(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)


def _named(handler: ast.ExceptHandler) -> Iterator[ast.Name]:
    yield from (part for part in ast.walk(handler.type or handler) if isinstance(part, ast.Name))


def iterated(codes: Iterable[tuple[CodeType, Any]]) -> set[str]:
    """The names and attributes that these sources iterate over."""
    nodes = (part for code, _ in codes for node in definitions(code) for part in ast.walk(node))
    return {name for node in nodes for read in _read(node) for name in _last(read)}


def _read(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.For(iter=read) | ast.AsyncFor(iter=read) | ast.comprehension(iter=read) | ast.Starred(value=read):
            yield read
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments) if name in _READERS:
            yield from arguments
        case ast.YieldFrom(value=read):
            yield read


def _last(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Name | ast.Attribute):
        yield node.id if isinstance(node, ast.Name) else node.attr


def is_callable(value: Any) -> bool:
    """Whether a function that raises may take its place."""
    return is_function(value)


def is_listed(value: Any) -> bool:
    """Whether an iterator over its items may take its place."""
    return type(value) in (list, tuple) and len(value) > 0


def is_spent(value: Any) -> bool:
    """Whether it is an iterator, which the program has read already."""
    return hasattr(value, "__next__")
