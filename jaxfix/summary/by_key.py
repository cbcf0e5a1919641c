"""Whether the order of the keys of a dictionary makes no difference to the code that reads it."""

import ast
from collections.abc import Collection

from jaxfix.library.facets import Transform
from jaxfix.library.table import where
from jaxfix.semantic.module import Module

_SORTING = where(Transform.MAPS_LEAVES) | {"jax.device_get"}
"""What makes a dictionary with its keys sorted, whatever their order was."""
Seen = frozenset[tuple[str, ast.AST | None]]


def only_keys_are_read(module: Module, target: ast.Name, seen: Seen = frozenset()) -> bool:
    """Whether all that reads the variable reads single keys of it, or keeps it in a list of which that is true."""
    scope = module.scope_of(target.id, target)
    known = seen | {(target.id, scope)}
    return known == seen or all(_is_key_read(module, load, known) for load in module.reads(target.id, scope))


def _is_key_read(module: Module, read: ast.expr, seen: Seen) -> bool:
    parent = module.parent(read)
    match parent:
        case ast.Subscript(value=value, slice=key):
            return value is read and not isinstance(key, ast.Slice)
        case ast.Attribute(attr="get"):
            return isinstance(call := module.parent(parent), ast.Call) and call.func is parent
        case ast.Call(func=ast.Attribute(value=ast.Name() as rows, attr="append"), args=[_], keywords=[]):
            return isinstance(module.parent(parent), ast.Expr) and _rows_are_read_by_key(module, rows, seen)
        case ast.Call(func=func):
            return func is not read and _is_any(module, func, _SORTING)
    return False


def _rows_are_read_by_key(module: Module, name: ast.Name, seen: Seen) -> bool:
    """Whether a list of such dictionaries begins empty, and nothing reads more of them than single keys."""
    scope = module.scope_of(name.id, name)
    known = seen | {(name.id, scope)}
    bound = [module.value_of(b.node) if isinstance(b.node, ast.Name) else None for b in module.bindings(name.id, scope)]
    if not bound or not all(isinstance(value, ast.List) and not value.elts for value in bound):
        return False
    return known == seen or all(_is_row_read(module, use, known) for use in module.reads(name.id, scope))


def _is_row_read(module: Module, use: ast.expr, seen: Seen) -> bool:
    parent = module.parent(use)
    match parent:
        case ast.Attribute(attr=attr):
            return attr in ("append", "clear") and isinstance(module.parent(parent), ast.Call)
        case (
            ast.For(iter=iterable, target=ast.Name() as row)
            | ast.comprehension(iter=iterable, target=ast.Name() as row)
        ):
            return iterable is use and only_keys_are_read(module, row, seen)
        case ast.Subscript(value=value, slice=ast.Constant() | ast.UnaryOp()):
            return value is use and _is_key_read(module, parent, seen)
        case ast.Call(func=ast.Name(id="len") as func):
            return module.scope_of("len", func) is None
        case ast.Call(func=func):
            return func is not use and _is_any(module, func, _SORTING)
    return False


def _is_any(module: Module, func: ast.expr, names: Collection[str]) -> bool:
    return module.qualname(func) in names
