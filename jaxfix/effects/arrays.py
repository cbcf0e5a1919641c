"""Expressions that functions of JAX surely made."""

import ast

from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.library.facets import Package, Result, Transform
from jaxfix.library.table import short_names, where
from jaxfix.semantic.module import Module

_MAKING = tuple(f"{name}." for name in where(Package.FRESH))
_BATCHING = where(Transform.BATCHES) & where(Transform.ONLY_VALUES)
_METHODS = short_names(Result.FRESH, "jax.Array") | short_names(Result.REDUCED, "jax.Array")


def arrays(module: Module) -> Solver[ast.AST, bool]:
    """Whether an expression is surely made by functions of JAX: methods of arrays compute."""

    def is_array(expr: ast.AST) -> bool:
        again = module.get(arrays)
        match expr:
            case ast.Name(id=name):
                bound = [b.node for b in module.bindings(name, module.scope_of(name, expr))]
                values = [module.value_of(node) if isinstance(node, ast.Name) else None for node in bound]
                return bool(values) and all(value is not None and again(value) for value in values)
            case ast.Call(func=ast.Call(func=maker)) if module.qualname(maker) in _BATCHING:
                return True
            case ast.Call(func=func):
                is_method = isinstance(func, ast.Attribute) and func.attr in _METHODS and again(func.value)
                return is_method or (module.qualname(func) or "").startswith(_MAKING)
            case ast.BinOp(left=left, right=right):
                return again(left) or again(right)
            case ast.UnaryOp(operand=value) | ast.Subscript(value=value):
                return again(value)
        return False

    return Solver(is_array, EXISTS)
