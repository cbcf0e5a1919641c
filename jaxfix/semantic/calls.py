"""Calls within one file: argument to parameter, direct calls of a function, returned values."""

import ast
from weakref import WeakKeyDictionary

from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import Function, statements
from jaxfix.syntax.signatures import positional_of


def arguments_of(function: Function, call: ast.Call, *, bound: bool = False) -> dict[str, ast.expr | None] | None:
    """What `call` passes to each parameter of `function`, None for a default; None where that cannot be told.

    Args:
      bound: the first parameter is the object that the method is called of.
    """
    arguments = function.args
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    if arguments.vararg or arguments.kwarg:
        return None
    positional = [a.arg for a in positional_of(arguments)][1 if bound else 0 :]
    if len(call.args) > len(positional):
        return None
    found: dict[str, ast.expr | None] = dict.fromkeys([*positional, *(a.arg for a in arguments.kwonlyargs)])
    found.update(zip(positional, call.args, strict=False))
    found.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return found


_KNOWN: WeakKeyDictionary[Function, tuple[ast.expr, ...]] = WeakKeyDictionary()


def returned(function: Function) -> tuple[ast.expr, ...]:
    """The expressions that `function` returns, those of functions inside it left out."""
    if isinstance(function, ast.Lambda):
        return (function.body,)
    found = _KNOWN.get(function)
    if found is None:
        returns = (s for s in statements(function.body) if isinstance(s, ast.Return))
        found = _KNOWN[function] = tuple(each.value for each in returns if each.value is not None)
    return found


def direct_calls(module: Module, function: Function) -> tuple[ast.Call, ...]:
    """The calls of `function` by a name that stands for nothing else, in the order of the text."""
    return tuple(module.get(_called).get(function, ()))


def handed_to(module: Module, function: Function) -> tuple[ast.Call, ...]:
    """The calls that take `function`, by such a name, as a positional argument."""
    return tuple(module.get(_handed).get(function, ()))


def _called(module: Module) -> dict[Function, list[ast.Call]]:
    found: dict[Function, list[ast.Call]] = {}
    for call in module.nodes(ast.Call):
        function = module.definition(call.func)
        if function is not None:
            found.setdefault(function, []).append(call)
    return found


def _handed(module: Module) -> dict[Function, list[ast.Call]]:
    found: dict[Function, list[ast.Call]] = {}
    for call in module.nodes(ast.Call):
        for function in dict.fromkeys(map(module.definition, call.args)):
            if function is not None:
                found.setdefault(function, []).append(call)
    return found


def made_by(module: Module, expr: ast.AST) -> ast.expr | None:
    """What was called to make the object that `expr`, a name bound once, stands for."""
    value = module.only_value(expr)
    return value.func if isinstance(value, ast.Call) else None
