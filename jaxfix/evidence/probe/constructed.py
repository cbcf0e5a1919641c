"""What the constructor of a class takes as it is given: other instances may hold anything there."""

import ast
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Set
from types import FunctionType
from typing import Any

from .effects import definitions
from .fields import fields


def given(owner: Any) -> set[str]:
    """The attributes of an object that its constructor sets to parameters which it uses for nothing else."""
    kind = type(owner)
    if dataclasses.is_dataclass(kind):
        later = _nodes(getattr(kind, "__post_init__", None))
        used = {node.attr for node in later if isinstance(node, ast.Attribute)}
        return {field.name for field in dataclasses.fields(kind) if field.init} - used
    nodes = _nodes(kind.__init__)
    read = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
    found = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Name(id=source)):
                found |= {name} if source in parameters and read.count(source) == 1 else set()
    return found


def untried_integers(
    arguments: Mapping[str, Any], mentioned: Set[str], is_object: Callable[[Any], bool], *, hazardous: bool
) -> Iterator[tuple[str, str]]:
    """The integers of a call that are not varied, as a receipt names them, and why.

    Args:
      mentioned: the names that the functions read.
    """
    because = "a loop might not end" if hazardous else ""
    for name, value in arguments.items():
        if type(value) is int and hazardous:
            yield f"smaller integers in `{name}`", because
        held = mentioned & {*fields(value)} if is_object(value) else set()
        for attribute in sorted(each for each in held if type(getattr(value, each)) is int):
            if attribute.startswith("_") and attribute not in given(value):
                yield f"other integers in `{name}.{attribute}`", ""
            elif hazardous:
                yield f"smaller integers in `{name}.{attribute}`", because


def _nodes(function: Any) -> list[ast.AST]:
    code = function.__code__ if isinstance(function, FunctionType) else None
    return [part for node in definitions(code) for part in ast.walk(node)] if code is not None else []
