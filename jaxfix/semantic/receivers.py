"""The classes of a file that an expression may hold an object of: through variables, attributes, lists and loops."""

import ast
from collections.abc import Iterator

from jaxfix.library.facets import Iteration
from jaxfix.library.table import short_names
from jaxfix.semantic.calls import returned
from jaxfix.semantic.classes import class_of, family, methods
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import Function

PASSES_ITEMS = short_names(Iteration.SAME_LENGTH, "builtins")
"""Builtins that pass on the items of what they are given, in a loop or as another container."""
Step = tuple[ast.expr, int]
"""An expression, and how often an item is taken of what it holds."""
_DEEPEST = 8
"""How often at most an item is taken of an item: `node = node[0]` has no end."""


def called_methods(module: Module, func: ast.Name | ast.Attribute | ast.Subscript) -> Iterator[ast.FunctionDef]:
    """The methods of classes of this file that `func` may be: `layer.forward`, or `__call__` of an object `layer`.

    Returns:
      In the order of the classes; empty where it is none.
    """
    names = module.get(_names_of_methods)
    if isinstance(func, ast.Attribute) and func.attr in names:
        yield from _methods(module, func.value, func.attr)
    if "__call__" in names and isinstance(call := module.parent(func), ast.Call) and call.func is func:
        yield from _methods(module, func, "__call__")


def _names_of_methods(module: Module) -> set[str]:
    members = (member for owner in module.nodes(ast.ClassDef) for member in owner.body)
    return {member.name for member in members if isinstance(member, ast.FunctionDef)}


def _methods(module: Module, receiver: ast.expr, name: str) -> Iterator[ast.FunctionDef]:
    for owner in classes_held(module, receiver):
        yield from methods(family(module, owner), name)


def classes_held(module: Module, expr: ast.expr, items: int = 0) -> list[ast.ClassDef]:
    """The classes of this file of which `expr`, or an item of it, may be an object; each once.

    Args:
      items: how often an item is taken of what `expr` is.
    """
    made = (each for each in _held(module, expr, items) if isinstance(each, ast.Call))
    owners = (class_of(module, each.func) for each in made)
    return list(dict.fromkeys(owner for owner in owners if owner is not None))


def functions_held(module: Module, func: ast.expr) -> list[Function]:
    """The functions of this file that `func`, if it is called, may be as an item of a list or a dictionary.

    Returns:
      In the order of the items; empty where it is none.
    """
    found: dict[Function, None] = {}
    call = module.parent(func)
    is_called = isinstance(call, ast.Call) and call.func is func
    for each in _held(module, func, 0) if is_called and _is_item(module, func) else ():
        if each is func:
            continue
        function = each if isinstance(each, ast.Lambda) else module.definition(each)
        factory = module.definition(each.func) if isinstance(each, ast.Call) else None
        made = (module.definition(result) for result in (returned(factory) if factory is not None else ()))
        found.update(dict.fromkeys(one for one in (function, *made) if one is not None))
    return list(found)


def _is_item(module: Module, node: ast.expr) -> bool:
    """Whether `node` is taken of a list or a dictionary, by an index or in a loop."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Subscript)
    around = (module.parent(each.node) for each in module.bindings(node.id, module.scope_of(node.id, node)))
    return any(isinstance(each, ast.For | ast.comprehension | ast.Tuple) for each in around)


def _held(module: Module, expr: ast.expr, items: int) -> Iterator[ast.expr]:
    """What `expr`, or an item of it, may be made by."""
    met: set[Step] = set()
    pending: list[Step] = [(expr, items)]
    while pending:
        step = pending.pop()
        if step in met:
            continue
        met.add(step)
        made, items = step
        if not items:
            yield made
        pending += _behind(module, made, items)


def _behind(module: Module, expr: ast.expr, items: int) -> Iterator[Step]:
    """What `expr`, of which `items` are taken, is made of."""
    match expr:
        case ast.Name(id=name):
            for binding in module.bindings(name, module.scope_of(name, expr)):
                if isinstance(binding.node, ast.Name):
                    yield from _bound(module, binding.node, items)
        case ast.Attribute(attr=attr):
            for node in module.attributes(attr):
                if isinstance(node.ctx, ast.Store):
                    yield from _bound(module, node, items)
        case ast.Subscript(value=value, slice=ast.Slice()):
            yield value, items
        case ast.Subscript(value=value) if items < _DEEPEST:
            yield value, items + 1
        case ast.List(elts=elts) | ast.Tuple(elts=elts) if items:
            yield from ((each, items - 1) for each in elts)
        case ast.ListComp(elt=each) | ast.GeneratorExp(elt=each) if items:
            yield each, items - 1
        case ast.Dict(values=values) if items:
            yield from ((each, items - 1) for each in values)
        case ast.Call(func=ast.Name(id=by) as func, args=args) if by in PASSES_ITEMS and items:
            if module.scope_of(by, func) is None:
                yield from ((each, items) for each in args)
        case ast.IfExp(body=body, orelse=orelse):
            yield from ((body, items), (orelse, items))


def _bound(module: Module, target: ast.Name | ast.Attribute, items: int) -> Iterator[Step]:
    """What `target` is bound to; in a loop the items of what that runs through."""
    value = module.value_of(target)
    if value is not None:
        yield value, items
        return
    outer: ast.AST | None = module.parent(target)
    while isinstance(outer, ast.Tuple | ast.List | ast.Starred):
        outer = module.parent(outer)
    if isinstance(outer, ast.For | ast.comprehension) and items < _DEEPEST:
        yield outer.iter, items + 1
