"""What an expression of a function means where the function is called: parameters stand for arguments."""

import ast
from collections.abc import Iterator, Mapping

from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import children

Names = Mapping[str, ast.expr | None]
"""Parameters, each with the expression that it takes; None where nothing can be read."""


@frozen
class Place:
    """A name with its attributes and entries: `node`, a part of `whole` or all of it, stands for `taken`."""

    whole: ast.expr
    node: ast.expr
    taken: ast.expr


def substitute(expr: ast.expr, names: Names) -> ast.expr | None:
    """The expression of the caller that `expr` stands for, itself if it is none; None if that cannot be read."""
    match expr:
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Subscript(value=value, slice=ast.Constant(value=key)):
            whole = substitute(value, names)
            if isinstance(whole, ast.Tuple | ast.List) and isinstance(key, int):
                plain = not any(isinstance(e, ast.Starred) for e in whole.elts)
                return whole.elts[key] if plain and -len(whole.elts) <= key < len(whole.elts) else None
            return None if whole is None else expr
        case ast.Attribute(value=value):
            return None if substitute(value, names) is None else expr
    return expr


def occurrences(expr: ast.expr, names: Names) -> Iterator[Place]:
    """The parts of `expr` that stand for expressions of the caller, or for parts of these."""
    pending = [expr]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            found = _place(node, names)
            if found is not None:
                yield found
        else:
            pending += [child for child in children(node) if isinstance(child, ast.expr)]


def text_of(module: Module, expr: ast.expr, names: Names) -> str:
    """The text that means in the caller what `expr` means with `names`."""
    place = _place(expr, names)
    if place is None:
        return module.text(expr)
    if place.node is expr:
        return module.text(place.taken)
    return module.substitute(expr, {place.node: module.text(place.taken)})


def _place(whole: ast.expr, names: Names) -> Place | None:
    node = whole
    while True:
        found = substitute(node, names)
        if found is not None and found is not node:
            return Place(whole, node, found)
        if not isinstance(node, ast.Attribute | ast.Subscript):
            return None
        node = node.value
