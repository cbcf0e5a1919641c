"""Entries of a dictionary that goes on from step to step, `params["d"]`: each is a variable of its own."""

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from jaxfix.api import Module, walk
from jaxfix.api.analysis import is_read_elsewhere


def is_entry(module: Module, node: ast.AST | None) -> bool:
    """Whether it is an entry, by a written key, of a dictionary that its scope makes once, before all loops around.

    No other code reaches that, and some statement binds it to what it makes of the entry itself, as a step does.
    """
    if not is_spelled(node):
        return False
    assert isinstance(node.value, ast.Name)
    name = node.value.id
    scope = module.scope_of(name, node.value)
    bound = [binding.node for binding in module.bindings(name, scope)] if scope is not None else []
    if len(bound) != 1 or not (isinstance(bound[0], ast.Name) and _is_made(module, bound[0])):
        return False
    loops = [loop for loop in module.loops(node) if (module.function(loop) or module.tree) is scope]
    if not loops or any(loop in module.loops(bound[0]) for loop in loops):
        return False
    if scope is module.tree and is_read_elsewhere(module, name):
        return False
    uses = [use for use in module.uses(name, scope) if isinstance(use.ctx, ast.Load)]
    if not all(_is_apart(module, use, scope) for use in uses):
        return False
    entries = [each for use in uses if is_spelled(each := module.parent(use)) and entry_text(each) == entry_text(node)]
    return any(isinstance(each.ctx, ast.Store) and _goes_on(module, each, entries) for each in entries)


def is_spelled(node: ast.AST | None) -> TypeGuard[ast.Subscript]:
    """Whether it has the form of an entry: `name["key"]`."""
    match node:
        case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str(key))):
            return key.isidentifier()
    return False


def entry_text(entry: ast.Subscript) -> str:
    """How entries are called, however they are quoted."""
    assert isinstance(entry.value, ast.Name) and isinstance(entry.slice, ast.Constant)
    return f'{entry.value.id}["{entry.slice.value!s}"]'


def values_of_entry(module: Module, entry: ast.Subscript) -> list[ast.expr | None]:
    """What the dictionary is made with there, and what is bound there later; None where that is not known."""
    assert isinstance(entry.value, ast.Name) and isinstance(entry.slice, ast.Constant)
    scope = module.scope_of(entry.value.id, entry.value)
    names = [each.node for each in module.bindings(entry.value.id, scope) if isinstance(each.node, ast.Name)]
    made = [module.value_of(each) for each in names]
    found = [_made_with(whole, entry.slice.value) for whole in made]
    for use in module.uses(entry.value.id, scope):
        item = module.parent(use)
        if not isinstance(item, ast.Subscript) or isinstance(item.ctx, ast.Load) or item.value is not use:
            continue
        if not is_spelled(item) or entry_text(item) == entry_text(entry):
            found.append(_bound_to(module, item))
    return found


def _made_with(whole: ast.expr | None, key: object) -> ast.expr | None:
    match whole:
        case ast.Dict(keys=keys, values=values) if None not in keys:
            named = [v for k, v in zip(keys, values, strict=True) if isinstance(k, ast.Constant) and k.value == key]
            return named[-1] if named else None
        case ast.Call(keywords=keywords):
            return next((each.value for each in keywords if each.arg == key), None)
    return None


def _bound_to(module: Module, item: ast.Subscript) -> ast.expr | None:
    match module.parent(item):
        case ast.Assign(targets=[_], value=value):
            return value
        case ast.AugAssign(target=target, op=op, value=value):
            return ast.BinOp(target, op, value)
    return None


def entries_of(module: Module, parts: Sequence[ast.AST]) -> Iterator[tuple[str, ast.Subscript]]:
    """The entries that statements read or bind."""
    for node in (node for part in parts for node in walk(part)):
        if is_spelled(node) and is_entry(module, node):
            yield entry_text(node), node


def fills(module: Module, statement: ast.stmt) -> bool:
    """Whether it binds an item that has the form of an entry, and is none."""
    stored = (node for node in walk(statement) if is_spelled(node) and not isinstance(node.ctx, ast.Load))
    return not all(is_entry(module, node) for node in stored)


def entry_name(entry: str) -> str:
    """A name for what is `entry`: `params_d` of `params["d"]`."""
    return "_".join(entry.removesuffix('"]').split('["'))


def _is_made(module: Module, name: ast.Name) -> bool:
    """Whether a display, a comprehension or `dict` makes what is bound there."""
    match module.value_of(name):
        case ast.Dict() | ast.DictComp():
            return True
        case ast.Call(func=ast.Name(id="dict") as func):
            return module.scope_of("dict", func) is None
    return False


def _is_apart(module: Module, use: ast.Name, scope: ast.AST | None) -> bool:
    """Whether it reads or binds a part of the dictionary, or returns all of it: no alias is left, as in a partial."""
    if (module.function(use) or module.tree) is not scope:
        return False
    whole = module.parent(use)
    match module.parent(whole) if isinstance(whole, ast.Tuple) else whole:
        case ast.Return():
            return True
        case ast.Subscript(value=value) as item:
            outer = module.parent(item)
            is_filled = isinstance(outer, ast.Subscript) and not isinstance(outer.ctx, ast.Load)
            return value is use and not is_filled and not isinstance(item.ctx, ast.Del)
    return False


def _goes_on(module: Module, entry: ast.Subscript, entries: Sequence[ast.Subscript]) -> bool:
    statement = module.statement(entry)
    return isinstance(statement, ast.AugAssign) or any(
        isinstance(each.ctx, ast.Load) and module.statement(each) is statement for each in entries
    )
