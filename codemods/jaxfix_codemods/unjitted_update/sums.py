"""Sums and averages of what a step computes that begin as a Python number."""

import ast

from jaxfix.api import Module, walk
from jaxfix.api.analysis import Form, Values


def sum_of(module: Module, statement: ast.stmt) -> str | None:
    """The variable that `statement` adds to, where that begins as a Python number.

    `jit` compiles for the number and again for the array that it becomes; of an expensive step.
    """
    match statement:
        case ast.AugAssign(target=ast.Name() as target):
            pass
        case ast.Assign(targets=[ast.Name() as target], value=value) if _reads(value, target.id):
            pass
        case _:
            return None
    found = module.bindings(target.id, module.scope_of(target.id, target))
    begun = (module.value_of(each.node) for each in found if isinstance(each.node, ast.Name))
    values = module.get(Values)
    is_number = any(value is not None and values.of(value).form is Form.PYTHON for value in begun)
    return target.id if is_number else None


def _reads(value: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in walk(value))
