"""Boolean masks: what they select has a length that values say."""

import ast

from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.library.facets import Dtype
from jaxfix.library.table import where
from jaxfix.semantic.module import Module

_BOOLEAN = where(Dtype.BOOL)
_COMPARING = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def mask(module: Module, index: ast.expr) -> ast.expr | None:
    """The expression that makes the mask, which is surely boolean; None where it may select by position."""
    made = module.only_value(index) if isinstance(index, ast.Name) else index
    return made if made is not None and module.get(_boolean)(made) else None


def selecting(module: Module, item: ast.Subscript) -> ast.expr | None:
    """The mask by which `item`, `x[mask]` or `x.at[mask]`, selects elements; None where it stores or deletes."""
    return mask(module, item.slice) if isinstance(item.ctx, ast.Load) else None


def _boolean(module: Module) -> Solver[ast.expr, bool]:
    return Solver(lambda expr: _is_boolean(module, expr), EXISTS)


def _is_boolean(module: Module, expr: ast.expr) -> bool:
    match expr:
        case ast.Compare(ops=[op]):
            return isinstance(op, _COMPARING)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return mask(module, operand) is not None
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() | ast.BitXor(), right=right):
            return mask(module, left) is not None and mask(module, right) is not None
        case ast.Call(func=func):
            return module.qualname(func) in _BOOLEAN
    return False
