"""What a step may do with its values that it cannot do, or does otherwise, with those of a trace."""

import ast

from jaxfix.api import Module
from jaxfix.api.analysis import Form, Kind, Values, class_of, is_no_tree_class


def picks(module: Module, values: Values, item: ast.Subscript) -> bool:
    """Whether a variable picks an item of a list or a tuple."""
    if not isinstance(item.slice, ast.Name) or not isinstance(item.ctx, ast.Load):
        return False
    return any(isinstance(source, ast.List | ast.Tuple) for source in values.origins.of(item.value))


def is_no_tree(module: Module, source: ast.AST) -> bool:
    """Whether `source` makes an object of a class of this file that `jit` takes for no tree of arrays."""
    owner = class_of(module, source.func) if isinstance(source, ast.Call) else None
    return owner is not None and is_no_tree_class(module, owner)


def overflows(module: Module, values: Values, name: ast.Name) -> bool:
    """Whether `name`, a Python integer, is multiplied or raised with integers: a traced one has 32 bits."""
    parent = module.parent(name)
    if not isinstance(parent, ast.BinOp) or not isinstance(parent.op, ast.Mult | ast.Pow | ast.LShift):
        return False
    return all(_is_integer(values, side) for side in (parent.left, parent.right))


def _is_integer(values: Values, expr: ast.expr) -> bool:
    sources = values.origins.of(expr)
    counted = (isinstance(s, ast.Call) and isinstance(s.func, ast.Name) and s.func.id == "range" for s in sources)
    value = values.of(expr)
    return any(counted) or (value.form is Form.PYTHON and value.kind is Kind.INT)
