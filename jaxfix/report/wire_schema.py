"""The JSON Schema of what `wire.to_json` writes, from type annotations."""

import dataclasses
import re
import types
from collections.abc import Mapping
from enum import Enum
from inspect import getdoc
from typing import Any, Union, get_args, get_origin, get_type_hints

Schema = dict[str, object]
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}
_ATTRIBUTE = re.compile(r"^  (\w+): (.*(?:\n    .*)*)", re.MULTILINE)


def schema_of(kind: Any, known: dict[str, Schema]) -> Schema:
    """The schema of values of that type; schemas of its dataclasses go into `known`, by name."""
    origin, args = get_origin(kind), get_args(kind)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if origin in (Union, types.UnionType):
        (inner,) = (arg for arg in args if arg is not types.NoneType)
        return or_null(schema_of(inner, known))
    if origin is tuple:
        return {"type": "array", "items": schema_of(args[0], known)}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(args[1], known)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [entry.value for entry in kind]}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _reference(kind, known)
    raise TypeError(f"{kind!r} does not travel")


def described(schema: Schema, text: str) -> Schema:
    return {**schema, "description": text}


def or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]} if "type" in schema else {"anyOf": [schema, {"type": "null"}]}


def object_of(text: str, properties: Mapping[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    """The schema of an object with these properties, and perhaps others."""
    required = [name for name in properties if name not in optional]
    return {"description": text, "type": "object", "properties": dict(properties), "required": required}


def _reference(kind: type, known: dict[str, Schema]) -> Schema:
    name = kind.__name__[:1].lower() + kind.__name__[1:]
    if name not in known:
        known[name] = {}
        text, _, rest = (getdoc(kind) or "").partition("\nAttributes:\n")
        told = {match[1]: " ".join(match[2].split()) for match in _ATTRIBUTE.finditer(rest)}
        hints = get_type_hints(kind)
        fields = {field.name: schema_of(hints[field.name], known) for field in dataclasses.fields(kind)}
        each = {field: described(schema, told[field]) if field in told else schema for field, schema in fields.items()}
        known[name] = object_of(" ".join(text.split()), each)
    return {"$ref": f"#/$defs/{name}"}
