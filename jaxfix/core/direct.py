"""The calls of a module that name a function of it, looked up once for all functions."""

import ast
from typing import TYPE_CHECKING

from jaxfix.core.scopes import Function

if TYPE_CHECKING:
    from jaxfix.core.model import Module


def direct_calls(module: "Module", function: Function) -> tuple[ast.Call, ...]:
    """The calls of `function` by a name that stands for nothing else, in the order of the text."""
    return tuple(module.once(_called).get(function, ()))


def handed_to(module: "Module", function: Function) -> tuple[ast.Call, ...]:
    """The calls that take `function`, by such a name, as a positional argument."""
    return tuple(module.once(_handed).get(function, ()))


def _called(module: "Module") -> dict[Function, list[ast.Call]]:
    found: dict[Function, list[ast.Call]] = {}
    for call in module.of(ast.Call):
        function = module.definition(call.func)
        if function is not None:
            found.setdefault(function, []).append(call)
    return found


def _handed(module: "Module") -> dict[Function, list[ast.Call]]:
    found: dict[Function, list[ast.Call]] = {}
    for call in module.of(ast.Call):
        for function in dict.fromkeys(map(module.definition, call.args)):
            if function is not None:
                found.setdefault(function, []).append(call)
    return found
