"""What the uses of a function in its file pass to one of its parameters."""

import ast
from collections.abc import Callable, Iterator

from jaxfix.api import Module
from jaxfix.api.analysis import callers, positional_of, transform_of
from jaxfix.api.library import Transform, where

_STAGES = where(Transform.COMPILES) | where(Transform.CONTROL_FLOW)
_SAME_ARGUMENTS = where(Transform.ONLY_VALUES) | where(Transform.SAME_RESULT)
TRACED = ast.Pass()
"""What is passed under a trace, by code that does not spell it out."""


def passed(module: Module, parameter: ast.arg) -> tuple[ast.AST, ...]:
    """The expressions that the uses of a function pass to `parameter`, or `TRACED` for what a transformation passes.

    Returns:
      Empty where there is no use, or one of them is not understood.
    """
    arguments = module.parent(parameter)
    function = module.parent(arguments) if arguments is not None else None
    if not isinstance(function, ast.FunctionDef) or module.method_of(function) is not None:
        return ()
    positional = positional_of(function.args)
    if parameter not in positional:
        return ()
    find = _finder(parameter.arg, positional.index(parameter))
    found = [*_of_uses(module, function, find)]
    return tuple(each for each in found if each is not None) if None not in found else ()


_Find = Callable[[ast.Call], ast.expr | None]


def _finder(name: str, place: int) -> _Find:
    def found(call: ast.Call) -> ast.expr | None:
        if any(isinstance(each, ast.Starred) for each in call.args[: place + 1]):
            return None
        if place < len(call.args):
            return call.args[place]
        return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)

    return found


def _of_uses(module: Module, named: ast.FunctionDef | ast.Name, find: _Find) -> Iterator[ast.AST | None]:
    used = callers(module, named)
    yield from map(find, used.calls)
    for other in used.others:
        yield from _of_other(module, other, find)


def _of_other(module: Module, function: ast.expr, find: _Find) -> Iterator[ast.AST | None]:
    """The same of a function that is passed to a transformation, or called with what one has made of it."""
    match module.parent(function):
        case ast.Call(func=made) as call if made is function:
            yield find(call)
        case ast.Assign(targets=[ast.Name() as name]) if module.only_binding(name) is not None:
            yield from _of_uses(module, name, find)
        case ast.Call(func=ast.Name() | ast.Attribute() as taker) as call if function in call.args:
            yield from _of_transformed(module, transform_of(module, taker) or "", call, find)
        case _:
            yield None


def _of_transformed(module: Module, by: str, call: ast.Call, find: _Find) -> Iterator[ast.AST | None]:
    if by in _STAGES:
        is_plain = not any("static" in (keyword.arg or "static") for keyword in call.keywords)
        yield TRACED if is_plain else None
    elif by in _SAME_ARGUMENTS:
        yield from _of_other(module, call, find)
    else:
        yield None
