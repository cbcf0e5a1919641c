"""Words that judging and rewriting share."""

import ast
from collections import Counter
from collections.abc import Sequence

from jaxfix.api import Function, Module
from jaxfix.api.analysis import positional_of


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def shown(module: Module, *uses: ast.expr) -> str:
    """The functions in words: ``the lambda``, ``both lambdas``, ```cond` and `body```."""
    counted = Counter(_kind(module, use) for use in uses)
    return listed([_counted(*each) for each in counted.items()])


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b` or `a, b and c`."""
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def _kind(module: Module, use: ast.expr) -> tuple[str, bool]:
    """What it is called, and whether that is a kind of which there may be more."""
    match use:
        case ast.Lambda():
            return "lambda", True
        case ast.Call(func=func):
            return f"`{first_line(module, func)}` object", True
    return f"`{first_line(module, use)}`", False


def _counted(kind: tuple[str, bool], count: int) -> str:
    word, is_kind = kind
    if not is_kind:
        return word
    return f"the {word}" if count == 1 else f"{'both' if count == 2 else f'all {count}'} {word}s"


def first_line(module: Module, node: ast.AST) -> str:
    return module.text(node).splitlines()[0]


def around(module: Module, node: ast.AST) -> str:
    return module.path(node).rpartition("<locals>.")[2]


def last_part(qualname: str) -> str:
    return qualname.rpartition(".")[2]


def first_parameter(function: Function) -> str | None:
    arguments = positional_of(function.args)
    return arguments[0].arg if arguments else None
