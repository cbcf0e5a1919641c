"""Frozen dataclasses to JSON and back, by their type annotations."""

import base64
import dataclasses
import types
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

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
    """The value of type `kind` that `to_json` made `data` of; unknown keys are ignored.

    Raises:
      ValueError: `data` does not have the shape of `kind`.
    """
    try:
        value: T = _decode(kind, data)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a {kind.__name__}: {error!r}") from error
    return value


# `Any`: what is built is known to the annotations of the dataclasses alone.
def _decode(kind: Any, data: Any) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if data is None and type(None) in args:
            return None
        if type(data) in args:
            return data  # one of several plain types
        (inner,) = (arg for arg in args if arg is not type(None))
        return _decode(inner, data)
    if origin is tuple:
        return tuple(_decode(args[0], item) for item in data)
    if origin is dict:
        return {key: _decode(args[1], item) for key, item in data.items()}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        build: Any = kind
        hints = _hints(kind)
        return build(**{name: _decode(hint, data[name]) for name, hint in hints.items() if name in data})
    if kind is bytes:
        return base64.b64decode(data)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    if kind is float and isinstance(data, int):
        return float(data)
    if not isinstance(data, kind):
        raise TypeError(f"{data!r} is not a {kind.__name__}")
    return data


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
