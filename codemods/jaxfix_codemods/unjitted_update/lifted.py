"""Optimizers of constants that each call of a function makes: a step at the top of a file needs them made once."""

import ast
import builtins
from collections.abc import Collection

from jaxfix.api import Identifiers, Module, walk
from jaxfix.api.analysis import is_perhaps_rebound, is_perhaps_stored, why_unstable
from jaxfix_codemods.unjitted_update.device import is_made_by_library


def made_of_constants(
    module: Module, function: ast.FunctionDef, names: Collection[str], top: ast.stmt
) -> tuple[ast.Assign, ...]:
    """The statements of `function` that bind `names` to what a library makes of constants, in order.

    Args:
      top: the statement of the module before which they are to stand.

    Returns:
      Empty where one of them cannot stand there.
    """
    found = [statement for statement in function.body if _binds(module, function, statement, names, top)]
    assigned = [statement for statement in found if isinstance(statement, ast.Assign)]
    return tuple(assigned) if len(assigned) == len(names) else ()


def _binds(
    module: Module, function: ast.FunctionDef, statement: ast.stmt, names: Collection[str], top: ast.stmt
) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value) if name in names:
            is_bound_once = len(module.bindings(name, function)) == 1
            is_free = not module.bindings(name, module.tree) and not hasattr(builtins, name)
            is_free = is_free and not module.get(Identifiers).is_taken_elsewhere(name)
            is_kept = is_bound_once and all(_is_called(module, use) for use in module.reads(name, function))
            return is_kept and is_free and is_made_by_library(module, value) and stands_at(module, value, top)
    return False


def _is_called(module: Module, use: ast.Name) -> bool:
    """Whether it is a method that is called: nobody can reach the object, which is the same one at each call."""
    method = module.parent(use)
    call = module.parent(method) if isinstance(method, ast.Attribute) else None
    return isinstance(call, ast.Call) and call.func is method


def stands_at(module: Module, value: ast.expr, top: ast.stmt) -> bool:
    """Whether all that `value` reads is bound in the module before `top`, and once, and by no other file again."""
    if any(_is_replaced(module, node) for node in walk(value)):
        return False
    for name in (node for node in walk(value) if isinstance(node, ast.Name)):
        if module.qualname(name) is not None:
            continue
        if module.scope_of(name.id, name) is not module.tree or why_unstable(module, name.id, module.tree) is not None:
            return False
        if any(module.statement(bound.node).lineno >= top.lineno for bound in module.bindings(name.id, module.tree)):
            return False
    return True


def _is_replaced(module: Module, node: ast.AST) -> bool:
    """Whether some file may bind what a dotted name of another file or of a library stands for."""
    qualname = module.qualname(node) if isinstance(node, ast.Name | ast.Attribute) else None
    if qualname is None or "." not in qualname:
        return False
    return is_perhaps_stored(module, qualname.rpartition(".")[2]) or is_perhaps_rebound(module, qualname)
