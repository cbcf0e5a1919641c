"""Statements that no run comes to: those below one of their block that always leaves it."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.library.facets import Effect
from jaxfix.library.table import where
from jaxfix.semantic.module import Module

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ENDING = where(Effect.ENDS)


def is_unreachable(module: Module, node: ast.AST) -> bool:
    """Whether `node` is below a `raise`, a `return` or the like, in its block or in one around it.

    The cells of a notebook are run one by one, whatever those above them raise.
    """
    inner = node
    for outer in module.ancestors(node):
        is_cell = outer is module.tree and module.source.notebook is not None
        if not is_cell and any(_is_left_before(module, block, inner) for block in _blocks(outer)):
            return True
        inner = outer
    return False


def _blocks(node: ast.AST) -> Iterator[Sequence[ast.AST]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _is_left_before(module: Module, block: Sequence[ast.AST], inner: ast.AST) -> bool:
    if inner not in block:
        return False
    return any(_leaves(module, each) for each in block[: block.index(inner)])


def _leaves(module: Module, statement: ast.AST) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=func)):
            return module.qualname(func) in _ENDING
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()]), body=body):
            return module.surroundings.name is None and _leaves(module, body[-1])  # nobody imports it
    return isinstance(statement, _LEAVING)
