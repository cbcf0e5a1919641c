"""Functions that may give the same object at the next call: memos, and what returns a part of something that stays."""

import ast
from sys import stdlib_module_names

from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.effects.new_arrays import makes_new
from jaxfix.library.facets import Effect, Package
from jaxfix.library.table import where
from jaxfix.semantic.calls import returned_anywhere
from jaxfix.semantic.classes import class_of, own_parameter
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk
from jaxfix.syntax.signatures import argument_values

_MEMOS = where(Effect.MEMOISES)
_NUMPY = where(Package.NUMPY)


def remembers(module: Module, function: ast.AST) -> bool:
    """Whether `function`, or an expression, evidently gives what something else keeps too."""
    return module.get(_solver)(function)


def makes_arrays(module: Module, function: Function) -> bool:
    """Whether a call in `function` may make an array of jax: any that is of neither the standard library nor NumPy."""
    return any(_may_make_array(module, node) for node in walk(function) if isinstance(node, ast.Call))


def _may_make_array(module: Module, call: ast.Call) -> bool:
    qualname = module.qualname(call.func)
    if qualname is None:
        return not isinstance(call.func, ast.Name) or module.scope_of(call.func.id, call) is not None
    return qualname.partition(".")[0] not in stdlib_module_names | _NUMPY


def _solver(module: Module) -> Solver[ast.AST, bool]:
    return Solver(lambda node: _is_kept(module, node), EXISTS)


def _is_kept(module: Module, node: ast.AST) -> bool:
    kept = module.get(_solver)
    match node:
        case ast.FunctionDef() | ast.Lambda():
            return _is_memo(module, node) or any(map(kept, returned_anywhere(module, node)))
        case ast.Name():
            return _is_kept_variable(module, node)
        case ast.Attribute(value=ast.Name() as owner) if _is_own(module, owner):
            return True
        case ast.Attribute(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
            return kept(value)
        case ast.NamedExpr(value=value):
            return kept(value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts) | ast.BoolOp(values=parts):
            return any(map(kept, parts))
        case ast.IfExp(body=one, orelse=other):
            return kept(one) or kept(other)
        case ast.Call(func=func) if not makes_new(module, node) or _is_memo(module, module.definition(func)):
            return _is_kept_result(module, node)
    return False


def _is_memo(module: Module, function: ast.AST | None) -> bool:
    for decorator in getattr(function, "decorator_list", ()):
        if module.qualname(decorator.func if isinstance(decorator, ast.Call) else decorator) in _MEMOS:
            return True
    return False


def _is_kept_variable(module: Module, name: ast.Name) -> bool:
    scope = module.scope_of(name.id, name)
    if scope is None:
        return False
    bound = [binding.node for binding in module.bindings(name.id, scope)]
    values = [module.value_of(node) for node in bound if isinstance(node, ast.Name)]
    if scope is module.tree:
        return any(value is not None and not isinstance(value, ast.Constant | ast.Lambda) for value in values)
    return any(value is not None and module.get(_solver)(value) for value in values)


def _is_own(module: Module, name: ast.Name) -> bool:
    around = module.functions_around(name)
    method = around[-1] if around else None
    return (
        isinstance(method, ast.FunctionDef)
        and module.method_of(method) is not None
        and own_parameter(method) == name.id
    )


def _is_kept_result(module: Module, call: ast.Call) -> bool:
    kept = module.get(_solver)
    function = module.definition(call.func)
    if isinstance(function, FUNCTIONS):
        return kept(function)
    if class_of(module, call.func) is not None:
        return any(map(kept, argument_values(call)))
    match call.func:
        case ast.Name(id=name) if module.scope_of(name, call) is None:
            return False
        case ast.Attribute(value=owner) if module.qualname(call.func) is None:
            return kept(owner)
    return module.qualname(call.func) is not None and any(map(kept, argument_values(call)))
