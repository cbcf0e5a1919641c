"""Statements that bind lengths of arrays, which are numbers of Python in a trace too."""

import ast

from jaxfix.api import Module, walk
from jaxfix.api.analysis import is_length


def lengths(module: Module, statement: ast.stmt | ast.expr) -> tuple[str, ...]:
    """The variables that `statement` binds, if all are lengths of arrays: `rows, width = x.shape`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_length(module, value):
            return (name,) if any(isinstance(node, ast.Attribute | ast.Call) for node in walk(value)) else ()
        case ast.Assign(targets=[ast.Tuple(elts=elements)], value=ast.Attribute(attr="shape")):
            names = tuple(element.id for element in elements if isinstance(element, ast.Name))
            return names if len(names) == len(elements) else ()
    return ()
