"""Parameters of functions and arguments of calls, as the syntax has them."""

import ast
from collections.abc import Mapping

from jaxfix.syntax.nodes import Function


def positional_of(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters that a call can pass by position.

    Returns:
      In order: those before `/`, then the plain ones.
    """
    return [*arguments.posonlyargs, *arguments.args]


def parameters_of(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters that have a name and take one argument.

    Returns:
      Positional ones, then those by keyword alone; `*args` and `**kwargs` are not among them.
    """
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def argument_values(call: ast.Call) -> list[ast.expr]:
    """The expressions that a call passes.

    Returns:
      Positional ones, starred ones as they stand, then the values of keywords.
    """
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def default_of(function: Function, parameter: str) -> ast.expr | None:
    """The default of a parameter.

    Returns:
      None where it has none, or `function` has no such parameter.
    """
    arguments = function.args
    positional = [each.arg for each in positional_of(arguments)]
    found = dict(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True))
    named = zip((each.arg for each in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
    return found.get(parameter) or dict(named).get(parameter)


def is_enough(function: Function, given: Mapping[str, object]) -> bool:
    """Whether each parameter that a call is known to leave out has a default.

    Args:
      given: what the call passes, by parameter; None for what it leaves out, as `arguments_of` says it.
    """
    return all(value is not None or default_of(function, name) is not None for name, value in given.items())
