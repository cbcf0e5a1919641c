"""Which argument of a call goes to which parameter."""

import ast

from jaxfix.core.scopes import Function


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
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][1 if bound else 0 :]
    if len(call.args) > len(positional):
        return None
    found: dict[str, ast.expr | None] = dict.fromkeys([*positional, *(a.arg for a in arguments.kwonlyargs)])
    found.update(zip(positional, call.args, strict=False))
    found.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return found
