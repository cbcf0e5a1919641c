"""Frozen dataclasses to JSON and back, by their type annotations."""

import base64
import dataclasses
import types
from collections.abc import Callable, Hashable
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_json(value: object) -> object:
    """The JSON form: dataclasses become objects, tuples arrays, enums their value, bytes base64."""
    match value:
        case Enum():
            return to_json(value.value)
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return base64.b64encode(value).decode()
        case tuple() | list():
            return [to_json(item) for item in value]
        case dict():
            return {str(key): to_json(item) for key, item in value.items()}
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} does not travel")


def from_json(kind: type[T], data: object) -> T:
    """The value of type `kind` from `data`, as by `to_json`; unknown keys are ignored.

    Raises:
      ValueError: `data` does not have the shape of `kind`.
    """
    try:
        value: T = _decoder(cast(Hashable, kind))(data)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a {kind.__name__}: {error!r}") from error
    return value


# `Any`: what is built is known to the annotations of the dataclasses alone.
@cache
def _decoder(kind: Hashable) -> Callable[[Any], Any]:
    """What makes values of `kind`: its annotations are read once."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _of_union(args)
    if origin is tuple:
        each = _decoder(args[0])
        return lambda data: tuple(map(each, data))
    if origin is dict:
        value = _decoder(args[1])
        return lambda data: {key: value(item) for key, item in data.items()}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _of_dataclass(kind)
    if kind is bytes:
        return base64.b64decode
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return _plain(kind)


def _of_union(args: tuple[Any, ...]) -> Callable[[Any], Any]:
    plain, is_optional = frozenset(args), type(None) in args
    kinds = [arg for arg in args if arg is not type(None)]
    inner = _decoder(kinds[0]) if len(kinds) == 1 else None

    def decode(data: Any) -> Any:
        if data is None and is_optional:
            return None
        if type(data) in plain:
            return data  # one of several plain types
        if inner is None:
            raise TypeError(f"{data!r} is none of {kinds}")
        return inner(data)

    return decode


def _of_dataclass(kind: Any) -> Callable[[Any], Any]:
    def decode(data: Any) -> Any:
        return kind(**{name: each(data[name]) for name, each in _fields(kind) if name in data})

    return decode


@cache
def _fields(kind: Any) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """Not asked for before there is such a value: a class may hold its own kind."""
    return tuple((name, _decoder(hint)) for name, hint in get_type_hints(kind).items())


def _plain(kind: Any) -> Callable[[Any], Any]:
    def decode(data: Any) -> Any:
        if type(data) is kind:
            return data
        if kind is float and isinstance(data, int):
            return float(data)
        if not isinstance(data, kind):
            raise TypeError(f"{data!r} is not a {kind.__name__}")
        return data

    return decode
