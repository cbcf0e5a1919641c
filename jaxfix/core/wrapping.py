"""What a decorator of the project makes of its function: one under jit, or one that is called as it is."""

import ast
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING

from jaxfix.core.jax_names import JITS
from jaxfix.core.jitted import COMPILING
from jaxfix.core.scopes import FUNCTIONS, Function
from jaxfix.core.tree import walk

if TYPE_CHECKING:
    from jaxfix.core.model import Module


class Wrapping(Enum):
    """What becomes of the function that is decorated."""

    STAGES = "stages"
    """It is put under `jit` or its kin."""
    CALLS = "calls"
    """It is called, by a wrapper that puts nothing under `jit`."""


def wrapping(module: "Module", decorator: ast.expr) -> Wrapping | None:
    """What `decorator`, with its options or without, makes of its function; None where it was not read."""
    named = decorator
    while isinstance(named, ast.Call):
        is_partial = module.qualname(named.func) == "functools.partial" and bool(named.args)
        named = named.args[0] if is_partial else named.func
    function = module.definition(named)
    if function is not None:
        return wrapping_of(module, function)
    qualname = module.qualname(named)
    return None if qualname is None else module.surroundings.project.wrapping(qualname)


def wrapping_of(module: "Module", function: Function) -> Wrapping | None:
    """What `function` makes of the function that it decorates; None where it only may put it under `jit`."""
    inside = walk(function)
    taken = set(_parameters(inside))
    for call in (node for node in inside if isinstance(node, ast.Call)):
        first = call.args[0] if call.args else None
        if isinstance(first, ast.Name) and first.id in taken and module.transform(call.func) in COMPILING:
            return Wrapping.STAGES
    named = (node for node in inside if isinstance(node, ast.Name | ast.Attribute))
    if any(module.qualname(node) in JITS or _is_whole_jax(module, node) for node in named):
        return None
    return Wrapping.CALLS


def is_decorator(function: ast.FunctionDef) -> bool:
    """Whether it may be meant to decorate: it returns a function that it defines."""
    inside = walk(function)
    own = {node.name for node in inside if isinstance(node, ast.FunctionDef) and node is not function}
    results = (node.value for node in inside if isinstance(node, ast.Return))
    return any(isinstance(result, ast.Name) and result.id in own for result in results)


def _is_whole_jax(module: "Module", node: ast.AST) -> bool:
    """Whether `jax` is handed to someone, who may take `jit` from it."""
    return module.qualname(node) == "jax" and not isinstance(module.parent(node), ast.Attribute)


def _parameters(inside: Iterable[ast.AST]) -> Iterator[str]:
    """The first parameters of a function and of those inside it, which a decorator with options returns."""
    for node in inside:
        if isinstance(node, FUNCTIONS) and (positional := _positional(node)):
            yield positional[0].arg


def _positional(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args]
