"""Calls that return new arrays, which share no memory with existing ones."""

import ast

from jaxfix.dataflow.solver import MAY, Solver
from jaxfix.library.facets import Package, Result, Transform
from jaxfix.library.table import short_names, where
from jaxfix.semantic.calls import returned_anywhere
from jaxfix.semantic.module import Module
from jaxfix.staging.jit import jit_of

_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.DictComp)
_CONSTANTS = where(Package.CONSTANTS)
_FRESH = tuple(f"{name}." for name in where(Package.FRESH))
_GRADIENTS = where(Transform.GRADIENT)
_STACKED = where(Result.STACKED)
_SAME_BUFFER = short_names(Result.SAME_BUFFER)
"""Last names of JAX functions that may return the very buffer that they are given."""


def makes_new(module: Module, call: ast.Call) -> bool:
    """Whether the results of `call` are arrays of their own."""
    return not module.get(_shares)(call)


def _shares(module: Module) -> Solver[ast.AST, bool]:
    """Whether a call, or a variable, may give an array that there was before."""

    def shares(expr: ast.AST) -> bool:
        return not (_is_call_new(module, expr) if isinstance(expr, ast.Call) else _is_variable_new(module, expr))

    return Solver(shares, MAY)


def _is_call_new(module: Module, call: ast.Call) -> bool:
    found = jit_of(module, call.func)
    if found is not None:
        return found.donated == ()
    if module.qualname(call.func) in _STACKED:
        return True
    if (module.qualname(call.func) or "").startswith(_FRESH):
        made_of = (*call.args[:1], *(k.value for k in call.keywords if k.arg != "dtype"))
        copies = is_new_of_library(module, call.func) and not _may_not_copy(call)
        return copies or all(_is_number(module, each) for each in made_of)
    match call.func:
        case ast.Call(func=made_by) if (module.qualname(made_by) or "").startswith("jax."):
            return module.qualname(made_by) in _GRADIENTS
    function = module.definition(call.func)
    results = returned_anywhere(module, function) if function is not None else ()
    return bool(results) and all(_is_new(module, result) for result in results)


def _may_not_copy(call: ast.Call) -> bool:
    """Whether it says that a copy is made only where it has to be: `jnp.array(table, copy=False)`."""
    copies = [keyword.value for keyword in call.keywords if keyword.arg == "copy"]
    return any(not isinstance(each, ast.Constant) or each.value is not True for each in copies)


def _is_number(module: Module, expr: ast.expr) -> bool:
    """Whether it is written as a number, or is a constant of a library, or a dtype."""
    inner = expr.operand if isinstance(expr, ast.UnaryOp) else expr
    is_builtin = isinstance(inner, ast.Name) and module.scope_of(inner.id, inner) is None
    owner = (module.qualname(inner) or "").rpartition(".")[0]
    return isinstance(inner, ast.Constant) or is_builtin or owner in _CONSTANTS


def is_new_of_library(module: Module, function: ast.expr) -> bool:
    """Whether it is a JAX function whose result is never the very buffer that it is given."""
    qualname = module.qualname(function) or ""
    return qualname.startswith(_FRESH) and qualname.rpartition(".")[2] not in _SAME_BUFFER


def _is_variable_new(module: Module, variable: ast.AST) -> bool:
    scope = module.scope_of(variable.id, variable) if isinstance(variable, ast.Name) else None
    if not isinstance(variable, ast.Name) or not isinstance(scope, ast.FunctionDef):
        return False
    bound = (binding.node for binding in module.bindings(variable.id, scope))
    values = [module.value_of(node) if isinstance(node, ast.Name) else None for node in bound]
    return all(value is not None and _is_new(module, value) for value in values)


def _is_new(module: Module, result: ast.expr) -> bool:
    match result:
        case ast.BinOp():
            return is_arithmetic(result)
        case ast.Compare() | ast.Constant():
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return all(_is_new(module, part) for part in parts)
        case ast.Call() | ast.Name():
            return not module.get(_shares)(result)
    return False


def is_arithmetic(operation: ast.BinOp) -> bool:
    """Whether it makes an array, and does not put the parts of two containers into a third."""
    parts = (operation.left, operation.right)
    return not isinstance(operation.op, ast.BitOr) and not any(isinstance(part, _DISPLAYS) for part in parts)
