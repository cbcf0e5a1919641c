"""Calls whose errors are caught, after which the program continues with what they changed."""

import ast
from collections.abc import Iterator

from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import walk

_ENDS = frozenset({"KeyboardInterrupt", "SystemExit", "StopIteration", "GeneratorExit"})
_NO_DATA = frozenset({"ImportError", "ModuleNotFoundError", "FileNotFoundError", "PermissionError"})
"""Errors that tell nothing of the data that a step was given."""
_SUPPRESSING = frozenset({"suppress"})


def errors_taken(module: Module) -> frozenset[str]:
    """The last parts of the names of what is called where an error is taken, and not raised again.

    Returns:
      Empty where the file takes no errors.
    """
    calls = (node for block in _blocks(module) for statement in block for node in walk(statement))
    functions = (node.func for node in calls if isinstance(node, ast.Call))
    return frozenset(func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "") for func in functions)


def takes_errors(node: ast.AST) -> bool:
    """Whether a statement takes errors of its block."""
    return isinstance(node, ast.Try) and any(map(_takes, node.handlers))


def _blocks(module: Module) -> Iterator[list[ast.stmt]]:
    yield from (node.body for node in module.nodes(ast.Try) if takes_errors(node))
    for call in module.spelled_calls(_SUPPRESSING):
        around = module.statement(call)
        if isinstance(around, ast.With):
            yield around.body


def _takes(handler: ast.ExceptHandler) -> bool:
    if isinstance(handler.body[-1], ast.Raise):
        return False
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {ast.unparse(kind).rpartition(".")[2] for kind in kinds if kind is not None}
    return not names or not names <= _ENDS | _NO_DATA
