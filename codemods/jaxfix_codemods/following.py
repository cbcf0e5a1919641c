"""What a function of a file may run, as far as the file says it."""

import ast
from collections.abc import Iterator

from jaxfix.api import Function, Identifiers, Module, walk
from jaxfix.api.analysis import CALLS_BACK, called_methods, functions_held, methods, own_class
from jaxfix.api.library import Effect, Package, short_names, where

_LIBRARIES = where(Package.READS) | where(Package.PURE) | where(Package.PURE_THROUGHOUT)
_CALLING_BACK = where(Effect.CALLS_BACK)
_READERS = short_names(Effect.READS, "jax.Array", "builtins.dict", "builtins.list")


def closure(module: Module, named: ast.expr) -> Iterator[Function]:
    """The functions of this file that a call of `named` may run, as far as they can be followed."""
    pending, met = definitions(module, named), set[Function]()
    for function in pending:  # grows
        if function in met:
            continue
        met.add(function)
        yield function
        for node in inside(function):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                pending += definitions(module, node)
            if type(node) is ast.Call:
                pending += _held(module, node.func)


def _held(module: Module, func: ast.expr) -> list[Function]:
    """The methods of objects of this file, and the functions in its containers, that `func` may be."""
    if isinstance(func, ast.Attribute):
        return [*called_methods(module, func)] if func.attr in module.names.defining else []
    if isinstance(func, ast.Name) and func.id in module.get(Identifiers).bound and module.definition(func) is None:
        return [*called_methods(module, func), *functions_held(module, func)]
    return [*functions_held(module, func)] if isinstance(func, ast.Subscript) else []


def definitions(module: Module, named: ast.expr) -> list[Function]:
    """The functions of this file that `named` may stand for, or that a transformation made it of."""
    if isinstance(named, ast.Attribute):
        owner = own_class(module, named.value)
        return [] if owner is None else list(methods((owner,), named.attr))
    if isinstance(named, ast.Name) and named.id not in module.get(Identifiers).bound:
        return []  # as most are
    found = module.definition(named)
    if found is not None:
        return [found]
    value = module.only_value(named)
    return [f for each in value.args if (f := module.definition(each))] if isinstance(value, ast.Call) else []


def inside(function: Function) -> Iterator[ast.AST]:
    """The nodes of the block of a function."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    for part in body:
        yield from walk(part)


def runs_host_code(module: Module, named: ast.expr) -> bool:
    """Whether a program of `named` may run host code: this file has such ones, or another that it may call."""
    if module.names.may_name(_CALLING_BACK) and any(map(module.references, _CALLING_BACK)):
        return True
    functions = tuple(closure(module, named))
    is_known = bool(functions) and next(unknown_calls(module, functions), None) is None
    return not is_known and module.surroundings.project.ask(CALLS_BACK, "")


def unknown_calls(module: Module, functions: tuple[Function, ...]) -> Iterator[ast.Call]:
    """The calls of what is neither followed nor a function of a library, a method of an array among those."""
    for call in (node for function in functions for node in inside(function) if isinstance(node, ast.Call)):
        package = (module.qualname(call.func) or "").partition(".")[0]
        is_method = isinstance(call.func, ast.Attribute) and call.func.attr in _READERS
        is_builtin = isinstance(call.func, ast.Name) and module.scope_of(call.func.id, call) is None
        is_made = isinstance(call.func, ast.Call)  # what makes it is a call of its own
        is_known = package in _LIBRARIES or is_method or is_builtin or is_made or _is_of_library(module, call.func)
        if not (is_known or definitions(module, call.func)):
            yield call


def _is_of_library(module: Module, func: ast.expr) -> bool:
    """Whether it is a method of what a function of a library made, as `optimizer.update`, of no function of a file."""
    made = module.only_value(func.value) if isinstance(func, ast.Attribute) else None
    if not isinstance(made, ast.Call):
        return False
    nodes = [*walk(made)]
    if any(isinstance(node, ast.Lambda) or (isinstance(node, ast.Name) and module.definition(node)) for node in nodes):
        return False
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return all((module.qualname(each.func) or "").partition(".")[0] in _LIBRARIES for each in calls)
