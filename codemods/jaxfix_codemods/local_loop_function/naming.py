"""Words that judging and rewriting share."""

import ast

from jaxfix.api import Function, Module
from jaxfix.api.analysis import positional_of


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def shown(module: Module, *uses: ast.expr) -> str:
    """The functions in words: ``the lambda``, ``both lambdas``, ```cond` and `body```."""
    lambdas = sum(isinstance(use, ast.Lambda) for use in uses)
    if lambdas == len(uses) > 1:
        return "both lambdas" if lambdas == 2 else f"all {lambdas} lambdas"
    return " and ".join(dict.fromkeys(_shown(module, use) for use in uses))


def _shown(module: Module, use: ast.expr) -> str:
    match use:
        case ast.Lambda():
            return "the lambda"
        case ast.Call(func=func):
            return f"the `{first_line(module, func)}`"
    return f"`{first_line(module, use)}`"


def first_line(module: Module, node: ast.AST) -> str:
    return module.text(node).splitlines()[0]


def around(module: Module, node: ast.AST) -> str:
    return module.path(node).rpartition("<locals>.")[2]


def last_part(qualname: str) -> str:
    return qualname.rpartition(".")[2]


def first_parameter(function: Function) -> str | None:
    arguments = positional_of(function.args)
    return arguments[0].arg if arguments else None
