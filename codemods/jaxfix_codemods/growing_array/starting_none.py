"""An array that is None until the first iteration, and grows in the other branch of an `if`."""

import ast

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import is_alike
from jaxfix_codemods.collecting import value_bound


def opened_by(module: Module, statement: ast.Assign, name: str, part: ast.expr) -> ast.If | None:
    """The `if` that binds `name` to `part` where it is None, and whose other branch is `statement`.

    Returns:
      None where the statement is in no such `if`.
    """
    match module.parent(statement):
        case ast.If(test=test, body=[ast.Assign() as first], orelse=[other]) as outer if other is statement:
            asks: type[ast.cmpop] = ast.Is
        case ast.If(test=test, body=[other], orelse=[ast.Assign() as first]) as outer if other is statement:
            asks = ast.IsNot
        case _:
            return None
    match test, first:
        case (
            ast.Compare(left=ast.Name(id=tested), ops=[operator], comparators=[ast.Constant(value=None)]),
            ast.Assign(targets=[ast.Name(id=bound)], value=value),
        ) if tested == bound == name and isinstance(operator, asks) and is_alike(value, part):
            return outer
    return None


def uses_in(opened: ast.If, name: str) -> set[ast.Name]:
    """The reads of the array, and what binds it, in the `if` alone."""
    return {node for node in walk(opened) if isinstance(node, ast.Name) and node.id == name}


def check_none_before(module: Module, opened: ast.If, target: ast.Name) -> None:
    """It must be None where the loop begins, whatever happens.

    Raises:
      Declined: it may be something else.
    """
    scope, own = module.scope_of(target.id, target), uses_in(opened, target.id)
    for binding in module.bindings(target.id, scope):
        value = None if binding.node in own else value_bound(module, binding.node)
        is_none = isinstance(value, ast.Constant) and value.value is None
        if binding.node not in own and not is_none:
            line = getattr(binding.node, "lineno", 1)
            raise Declined(Reason(Code.REBOUND, f"line {line} may bind `{target.id}` to an array as well", line))
