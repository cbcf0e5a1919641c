"""Expressions that JAX functions surely made."""

import ast

from jaxfix.dataflow.decorated import keeps_results
from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.library.facets import Package, Result, Transform
from jaxfix.library.table import short_names, where
from jaxfix.semantic.calls import returned
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import MUTATORS

_MAKING = tuple(f"{name}." for name in where(Package.FRESH))
_BATCHING = where(Transform.BATCHES) & where(Transform.ONLY_VALUES)
_OTHERS = where(Result.NO_ARRAY)
_METHODS = short_names(Result.FRESH, "jax.Array") | short_names(Result.REDUCED, "jax.Array")


def arrays(module: Module) -> Solver[ast.AST, bool]:
    """Whether an expression is surely made by JAX functions: methods of arrays compute."""

    def is_array(expr: ast.AST) -> bool:
        again = module.get(arrays)
        match expr:
            case ast.Name(id=name):
                bound = [b.node for b in module.bindings(name, module.scope_of(name, expr))]
                values = [module.value_of(node) if isinstance(node, ast.Name) else None for node in bound]
                return bool(values) and all(value is not None and again(value) for value in values)
            case ast.Call(func=func):
                if isinstance(func, ast.Attribute) and func.attr in _METHODS and again(func.value):
                    return True
                if _is_mapped(module, func) or _makes_array(module, func):
                    return True
                function = module.definition(func)
                is_plain = isinstance(function, ast.FunctionDef) and not function.decorator_list
                results = returned(function) if function is not None and is_plain else ()
                return bool(results) and all(again(result) for result in results)
            case ast.BinOp(left=left, op=ast.Mod()):
                return again(left)  # of a text it is a text
            case ast.BinOp(left=left, right=right):
                return again(left) or again(right)
            case ast.UnaryOp(operand=value) | ast.Subscript(value=value):
                return again(value)
        return False

    return Solver(is_array, EXISTS)


def computes(module: Module, method: ast.Attribute) -> bool:
    """Whether a method only computes: one of an array, or of what is passed to a JAX function, which takes no other."""
    is_array = module.get(arrays)
    if is_array(method.value):
        return True
    if method.attr not in _METHODS - MUTATORS or not isinstance(method.value, ast.Name):
        return False
    name, scope = method.value.id, module.scope_of(method.value.id, method.value)
    bound = [binding.node for binding in module.bindings(name, scope)]
    values = [module.value_of(node) for node in bound if isinstance(node, ast.Name)]
    if len(bound) - len(values) > 1 or not all(value is not None and is_array(value) for value in values):
        return False  # it may be another one where it is passed
    calls = ((use, module.parent(use)) for use in module.reads(name, scope))
    return any(
        isinstance(call, ast.Call) and use in call.args and _makes_array(module, call.func) for use, call in calls
    )


def _makes_array(module: Module, func: ast.expr) -> bool:
    name = module.qualname(func) or ""
    return name.startswith(_MAKING) and name not in _OTHERS


def _is_mapped(module: Module, func: ast.expr) -> bool:
    """Whether `jax.vmap`, or the like, has made the function of one of this file that makes no objects of a class."""
    made = module.only_value(func) if isinstance(func, ast.Name) else func
    if not isinstance(made, ast.Call) or module.qualname(made.func) not in _BATCHING or not made.args:
        return False
    function = module.definition(made.args[0])
    if function is None or not keeps_results(module, function):
        return False
    return not any(_may_be_object(module, result) for result in returned(function))


def _may_be_object(module: Module, result: ast.expr) -> bool:
    """Whether a result may be of a class with methods of its own: arrays, and what holds them, have none."""
    match result:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_may_be_object(module, part) for part in parts)
        case ast.Name():
            values = [
                module.value_of(b.node)
                for b in module.bindings(result.id, module.scope_of(result.id, result))
                if isinstance(b.node, ast.Name)
            ]
            return any(isinstance(value, ast.Call) and _may_be_object(module, value) for value in values)
        case ast.Call(func=func):
            return not _makes_array(module, func) and not module.get(arrays)(result)
    return False
