"""Statements that bind what a trace knows: lengths of arrays, and constants of the object of a method."""

import ast
from collections.abc import Iterable

from jaxfix.api import Module, walk
from jaxfix.api.analysis import is_length
from jaxfix_codemods.unjitted_update.checks import is_own
from jaxfix_codemods.unjitted_update.settled import has_constants


def lengths(module: Module, statement: ast.stmt | ast.expr) -> tuple[str, ...]:
    """The variables that `statement` binds, if all are lengths: `rows, width = x.shape`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_length(module, value):
            return (name,) if _measured(value) else ()
        case ast.Assign(targets=[ast.Tuple(elts=elements)], value=ast.Attribute(attr="shape")):
            names = tuple(element.id for element in elements if isinstance(element, ast.Name))
            return names if len(names) == len(elements) else ()
    return ()


def lengths_of_data(module: Module, statement: ast.stmt, others: Iterable[ast.stmt]) -> tuple[str, ...]:
    """The same, where they are of arrays with which the others compute: a `size` of an object is no length."""
    names = lengths(module, statement)
    measured = {module.text(expr) for expr in _measured(statement)} if names else set()
    return names if measured <= {text for each in others for text in _operands(module, each)} else ()


def _measured(node: ast.AST) -> list[ast.expr]:
    """What it takes the length of."""
    found = []
    for part in walk(node):
        match part:
            case ast.Attribute(value=value, attr="shape" | "size"):
                found.append(value)
            case ast.Call(func=ast.Name(id="len"), args=[value]):
                found.append(value)
    return found


def _operands(module: Module, statement: ast.stmt) -> Iterable[str]:
    """What it reads as a whole, and not for an attribute alone."""
    for node in walk(statement):
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(module.parent(node), ast.Attribute):
            yield module.text(node)


def own_constants(module: Module, statement: ast.stmt | ast.expr) -> tuple[str, ...]:
    """The variables that `statement` of a method binds to constants of its object: `n = self.n`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_own_constant(module, value):
            return (name,)
        case ast.Assign(targets=[ast.Tuple(elts=elements)], value=ast.Tuple(elts=values)):
            names = tuple(element.id for element in elements if isinstance(element, ast.Name))
            is_whole = len(names) == len(elements) == len(values)
            return names if is_whole and all(_is_own_constant(module, value) for value in values) else ()
    return ()


def _is_own_constant(module: Module, value: ast.expr) -> bool:
    match value:
        case ast.Attribute(value=owner, attr=attr):
            return is_own(module, owner) and has_constants(module, value, {attr})
        case ast.BinOp(left=left, right=right):
            parts = (part for part in (left, right) if not isinstance(part, ast.Constant))
            return all(_is_own_constant(module, part) for part in parts)
    return False
