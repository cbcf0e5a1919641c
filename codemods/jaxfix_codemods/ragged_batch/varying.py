"""Rows whose number is another one at each run of a loop over them."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, arguments_of, walk
from jaxfix.api.analysis import EXISTS, Solver, argument_values, callers, changes_of


def varies(module: Module, rows: ast.expr, at: ast.AST) -> bool:
    """Whether a loop around `at`, or around a call that leads to it, binds or changes what `rows` reads."""
    return module.get(_varying)((rows, at))


def _varying(module: Module) -> Solver[tuple[ast.expr, ast.AST], bool]:
    return Solver(lambda asked: _varies(module, *asked), EXISTS)


def _varies(module: Module, rows: ast.expr, at: ast.AST) -> bool:
    loops = set(module.loops(at))
    again = module.get(_varying)
    for part in walk(rows):
        if isinstance(part, ast.Name | ast.Attribute):
            made = (*_bound(module, part), *_changed(module, part))
            if any(not loops.isdisjoint(module.ancestors(node)) for node in made):
                return True
    read = [part for part in walk(rows) if isinstance(part, ast.Name)]
    values = [value for name in read if (value := module.only_value(name)) is not None]
    return any(again((value, at)) for value in values) or any(
        again((value, call)) for name in read for call, value in _passed(module, name)
    )


def _bound(module: Module, part: ast.Name | ast.Attribute) -> list[ast.AST]:
    if isinstance(part, ast.Attribute):
        return []
    return [each.node for each in module.bindings(part.id, module.scope_of(part.id, part))]


def _changed(module: Module, part: ast.Name | ast.Attribute) -> Iterator[ast.AST]:
    """Where the object is made longer or shorter, or the attribute bound: storing an entry does neither."""
    if isinstance(module.parent(part), ast.Attribute):
        return
    root: ast.expr = part
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name):
        return
    for name in changes_of(module).roots.get(root.id, ()):
        same = [each for each in (name, *module.ancestors(name)) if ast.unparse(each) == ast.unparse(part)]
        is_here = module.scope_of(name.id, name) is module.scope_of(root.id, root)
        if same and is_here and not isinstance(module.parent(same[0]), ast.Subscript):
            yield name


def _passed(module: Module, name: ast.Name) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The calls in this file that give a parameter its value, and that value."""
    function = module.scope_of(name.id, name)
    if not isinstance(function, ast.FunctionDef):
        return
    if not any(isinstance(each.node, ast.arg) for each in module.bindings(name.id, function)):
        return
    is_method = isinstance(module.parent(function), ast.ClassDef)
    for call in callers(module, function).calls:
        given = arguments_of(function, call, bound=is_method and isinstance(call.func, ast.Attribute))
        passed = argument_values(call) if given is None else [given.get(name.id)]
        yield from ((call, value) for value in passed if value is not None)
