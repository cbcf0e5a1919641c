"""Functions that make a jitted one at each call, and what tells the programs of one call from those of another."""

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxfix.core import fresh, lifting
from jaxfix.core.returning import returned
from jaxfix.core.tree import walk

if TYPE_CHECKING:
    from jaxfix.core.model import Module


@dataclass(frozen=True, slots=True)
class Factory:
    """A function that makes a jitted one at each call.

    Attributes:
      parameters: its names for what it can be given by position.
      data: the parameters, also those given by name alone, that the jitted function reads as arrays: what is handed
        there makes no other program.
    """

    parameters: tuple[str, ...]
    data: tuple[str, ...] = ()


def factory(module: "Module", function: ast.FunctionDef) -> Factory | None:
    """What others may know of `function`, if each call of it makes another jitted function."""
    if function.args.vararg or function.args.kwarg or not makes_jitted(module, function):
        return None
    positional = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    named = [a.arg for a in function.args.kwonlyargs]
    return Factory(tuple(positional), tuple(name for name in (*positional, *named) if is_data(module, name, function)))


def makes_jitted(module: "Module", function: ast.FunctionDef) -> bool:
    """Whether each call of `function` returns another jitted function."""
    if function.decorator_list or fresh.is_memoised(module, function):
        return False
    results = returned(function)
    return bool(results) and all(_is_new(module, result, function) for result in results)


def _is_new(module: "Module", result: ast.expr, function: ast.FunctionDef) -> bool:
    value = module.only_value(result) or result
    inner = module.definition(value)
    if isinstance(inner, ast.FunctionDef):
        return module.function(inner) is function and fresh.outermost_jit(module, inner) is not None
    found = module.jitted(value) if isinstance(value, ast.Call) else None
    if found is None or not isinstance(value, ast.Call) or found.at is not value:
        return False
    made = fresh.made_anew(module, value.args[0], found.jit.by)
    return made is not None and function in module.ancestors(made)


def is_data(module: "Module", name: str, function: ast.FunctionDef) -> bool:
    """Whether the jitted function alone reads this variable of the function that makes it, and as an array."""
    for use in walk(function):
        if isinstance(use, ast.Name) and use.id == name:
            is_inside = module.function(use) is not function
            if not is_inside or lifting.use_of(module, use) is not None:
                return False
    return True
