"""What functions return."""

import ast

from jaxfix.core.scopes import FUNCTIONS, Function


def returned(function: Function) -> tuple[ast.expr, ...]:
    """The expressions that `function` returns, those of functions inside it left out."""
    if isinstance(function, ast.Lambda):
        return (function.body,)
    found: list[ast.expr] = []
    pending: list[ast.AST] = list(reversed(function.body))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            found.append(node.value)
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))
    return tuple(found)
