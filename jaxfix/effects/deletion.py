"""Whether an array that a program keeps as a constant may be deleted, or given away as memory of a result.

A program that was compiled with it goes on as it was; one that is traced again finds that the array is gone.
"""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.solver import MAY, Solver
from jaxfix.effects.aliases import only_reads
from jaxfix.library.facets import Package, Result
from jaxfix.library.table import short_names, where
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import USERS
from jaxfix.staging.jit import jit_of
from jaxfix.syntax.nodes import walk

_ARRAYS = where(Package.ARRAYS) - where(Package.HOST)
_SAME_MEMORY = where(Result.SAME_BUFFER) | where(Result.SHARED)
_LISTING = short_names(Result.ALL_ARRAYS)
_NUMBERS = (ast.Constant, ast.UnaryOp, ast.operator, ast.unaryop, ast.BinOp, ast.Tuple, ast.expr_context)


def may_be_deleted(module: Module, name: str) -> bool:
    """Whether the variable of the module holds an array of JAX, and something other than a reader gets hold of it."""
    return module.get(_deleted)(name)


def _deleted(module: Module) -> Solver[str, bool]:
    return Solver(lambda name: _is_deleted(module, name), MAY)


def _is_deleted(module: Module, name: str) -> bool:
    values = list(_values(module, name))
    if not any(map(_may_hold_arrays, values)):
        return False
    own, project = module.surroundings.name, module.surroundings.project
    if any(map(module.get(Identifiers).mentions, _LISTING)):
        return True
    if own is not None and project.ask(USERS, f"{own}.{name}"):
        return True
    if not all(_keeps(module, use) for use in module.reads(name, module.tree)):
        return True
    others = {node.id for value in values for node in walk(value) if isinstance(node, ast.Name)} - {name}
    return any(module.get(_deleted)(other) for other in sorted(others) if module.bindings(other))


def _values(module: Module, name: str) -> Iterator[ast.expr]:
    for binding in module.bindings(name):
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
        if value is not None:
            yield value


def _may_hold_arrays(value: ast.expr) -> bool:
    return not isinstance(value, ast.Lambda) and not all(isinstance(node, _NUMBERS) for node in walk(value))


def _keeps(module: Module, use: ast.expr) -> bool:
    """Whether the code around a read of an array leaves it as it is, and hands it to nobody."""
    parent = module.parent(use)
    call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or call.func is use:
        return only_reads(module, use)
    jit = jit_of(module, call.func)
    if jit is not None and jit.donated != ():
        return False
    if (module.qualname(call.func) or "") in _SAME_MEMORY:
        return only_reads(module, call)
    return only_reads(module, use)
