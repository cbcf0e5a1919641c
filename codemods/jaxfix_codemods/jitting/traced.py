"""What a step may do with its values that it cannot do, or does otherwise, with those of a trace."""

import ast
from math import inf

from jaxfix.api import Module, arguments_of
from jaxfix.api.analysis import Form, Kind, Values, class_of, is_no_tree_class

_EXACT = 2**24
"""Up to which single precision counts."""


def picks(module: Module, values: Values, item: ast.Subscript) -> bool:
    """Whether a variable picks an item of a list or a tuple, or one that is a record, as no item of an array is."""
    if not isinstance(item.slice, ast.Name) or not isinstance(item.ctx, ast.Load):
        return False
    return _is_record(module, item) or any(map(_is_sequence, values.origins.of(item.value)))


def _is_sequence(source: ast.AST) -> bool:
    if isinstance(source, ast.BinOp):
        return _is_sequence(source.left) or _is_sequence(source.right)
    return isinstance(source, ast.List | ast.Tuple | ast.ListComp)


def _is_record(module: Module, item: ast.Subscript) -> bool:
    """Whether `item` is read by a text as its key, here or where it is passed to."""
    match module.parent(item):
        case ast.Subscript(value=value, slice=ast.Constant(value=str())) if value is item:
            return True
        case ast.Call(func=func) as call if isinstance(function := module.definition(func), ast.FunctionDef):
            passed = arguments_of(function, call, bound=module.method_of(function) is not None) or {}
            names = {name for name, value in passed.items() if value is item}
            reads = (read for name in names for read in module.reads(name, function))
            return any(_has_text_as_key(module, read) for read in reads)
    return False


def _has_text_as_key(module: Module, read: ast.expr) -> bool:
    match module.parent(read):
        case ast.Subscript(value=value, slice=ast.Constant(value=str())):
            return value is read
    return False


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


def cancels(module: Module, values: Values, name: ast.expr) -> bool:
    """Whether a Python number, beyond what single precision counts at first, is less or more by another one.

    Of a traced one few digits would remain; what is multiplied by an array keeps as many as it has without a trace.
    """
    match module.parent(name):
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mod() | ast.FloorDiv(), right=right):
            other = right if left is name else left
            return not values.of(other).is_array and _is_beyond_single(values, name)
    return False


def _is_beyond_single(values: Values, name: ast.expr) -> bool:
    numbers = (source.value for source in values.origins.of(name) if isinstance(source, ast.Constant))
    return any(isinstance(number, int | float) and _EXACT < abs(number) < inf for number in numbers)


def _is_integer(values: Values, expr: ast.expr) -> bool:
    sources = values.origins.of(expr)
    counted = (isinstance(s, ast.Call) and isinstance(s.func, ast.Name) and s.func.id == "range" for s in sources)
    value = values.of(expr)
    return any(counted) or (value.form is Form.PYTHON and value.kind is Kind.INT)
