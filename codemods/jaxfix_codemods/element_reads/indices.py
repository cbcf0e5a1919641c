"""Whether an index lies within its array: JAX takes the last element for one beyond, NumPy raises."""

import ast

from jaxfix.api import Module
from jaxfix.api.analysis import reaching
from jaxfix.api.library import Iteration, Result, rows, short_names

_COUNTING = short_names(Iteration.COUNTS)
_THROUGH = short_names(Iteration.SAME_LENGTH) - _COUNTING
_DRAWN = tuple(row for row in rows(Result.ARRAY) if row.name.startswith("jax.random."))
_SHAPED = {row.name: row for row in (*rows(Result.FILLED), *rows(Result.COUNTS), *_DRAWN) if row.shape_at is not None}


def are_known(module: Module, read: ast.expr, array: ast.expr) -> bool:
    """Whether each index between `array` and `read`, as in `array[i][0]`, surely lies within it."""
    axis: int | None = 0
    inner: ast.expr = array
    while inner is not read:
        outer = module.parent(inner)
        if not isinstance(outer, ast.Subscript) or outer.value is not inner:
            return True
        parts = outer.slice.elts if isinstance(outer.slice, ast.Tuple) else [outer.slice]
        for part in parts:
            if isinstance(part, ast.Slice):
                axis = None if axis is None or not _is_whole(part) else axis + 1
                continue
            if not _is_known(module, part, array, axis):
                return False
            axis = axis + 1 if axis is not None else None
        if any(isinstance(part, ast.Slice) for part in parts):
            axis = None
        inner = outer
    return True


def _is_whole(part: ast.Slice) -> bool:
    return part.lower is None and part.upper is None and part.step is None


def _is_known(module: Module, index: ast.expr, array: ast.expr, axis: int | None) -> bool:
    match index:
        case ast.Constant(value=0) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return not (isinstance(index, ast.Constant) and isinstance(index.value, bool))
        case ast.Name():
            return axis is not None and _counts(module, index, 0, array, axis)
        case ast.BinOp(left=ast.Name() as name, op=ast.Add() | ast.Sub() as op, right=ast.Constant(value=int() as by)):
            offset = by if isinstance(op, ast.Add) else -by
            return axis is not None and _counts(module, name, offset, array, axis)
    return False


def _counts(module: Module, name: ast.Name, offset: int, array: ast.expr, axis: int) -> bool:
    """Whether `name` counts the rounds of a loop, so that with `offset` it lies within the axis."""
    scope = module.scope_of(name.id, name)
    found = module.bindings(name.id, scope) if scope is not None else ()
    reached = reaching(module, name, found)
    if len(reached) != 1:
        return False
    target = reached[0].node
    match module.parent(target):
        case ast.For(target=only, iter=iterable) | ast.comprehension(target=only, iter=iterable) if only is target:
            return _is_within(module, iterable, offset, array, axis)
        case ast.Tuple(elts=[first, _]) as display if first is target:
            match module.parent(display):
                case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
                    return axis == 0 and offset == 0 and _is_enumerated(module, iterable, array)
    return False


def _is_enumerated(module: Module, iterable: ast.expr, array: ast.expr) -> bool:
    match iterable:
        case ast.Call(func=ast.Name(id="enumerate" as name), args=[over], keywords=[]):
            return module.scope_of(name, iterable) is None and _is_same(module, over, array)
    return False


def _is_within(module: Module, iterable: ast.expr, offset: int, array: ast.expr, axis: int) -> bool:
    match iterable:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first]) if name in _THROUGH:
            return name != "zip" and _is_within(module, first, offset, array, axis)
        case ast.Call(func=ast.Name(id=name), args=bounds, keywords=[]) if name in _COUNTING and bounds:
            if name == "count" or (name == "range" and module.scope_of(name, iterable) is not None):
                return False
            match bounds:
                case [stop]:
                    return _fits(module, 0, stop, offset, array, axis)
                case [ast.Constant(value=int() as start), stop] if start >= 0:
                    return _fits(module, start, stop, offset, array, axis)
    return False


def _fits(module: Module, start: int, stop: ast.expr, offset: int, array: ast.expr, axis: int) -> bool:
    """Whether all of `start + offset` to `stop + offset` lie within."""
    less = 0
    match stop:
        case ast.BinOp(left=length, op=ast.Sub(), right=ast.Constant(value=int() as less)):
            stop = length
    return less >= offset and start + offset >= -(start + less + 1) and _is_length(module, stop, array, axis)


def _is_length(module: Module, length: ast.expr, array: ast.expr, axis: int) -> bool:
    match length:
        case ast.Call(func=ast.Name(id="len" as name), args=[of]) if module.scope_of(name, length) is None:
            return axis == 0 and _is_same(module, of, array)
        case ast.Subscript(value=ast.Attribute(value=of, attr="shape"), slice=ast.Constant(value=int() as at)):
            return axis == at and _is_same(module, of, array)
        case ast.Name():
            return _is_named_length(module, length, array, axis)
        case ast.Constant(value=int()):
            return _is_made_so(module, length, array, axis)
    return False


def _is_named_length(module: Module, length: ast.Name, array: ast.expr, axis: int) -> bool:
    if not _is_bound_once(module, array) or module.names.only_binding(length) is None:
        return False
    if _is_made_so(module, length, array, axis):
        return True
    value = module.names.only_value(length)
    if value is not None:
        return not isinstance(value, ast.Name | ast.Constant) and _is_length(module, value, array, axis)
    binding = module.names.only_binding(length)
    assert binding is not None
    match module.statement(binding.node):
        case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Attribute(value=of, attr="shape")):
            is_plain = not any(isinstance(element, ast.Starred) for element in elts)
            return is_plain and axis < len(elts) and elts[axis] is binding.node and _is_same(module, of, array)
    return False


def _is_made_so(module: Module, length: ast.expr, array: ast.expr, axis: int) -> bool:
    """Whether the array is made with this length, as by `zeros((n, 3))`."""
    value = module.names.only_value(array) if isinstance(array, ast.Name) else None
    if not isinstance(value, ast.Call):
        return False
    row = _SHAPED.get(module.qualname(value.func) or "")
    if row is None or row.shape_at is None or any(isinstance(argument, ast.Starred) for argument in value.args):
        return False
    shape = value.args[row.shape_at]
    if len(shape) != 1:
        return False
    match shape[0]:
        case ast.Tuple(elts=elts):
            made = elts[axis] if axis < len(elts) else None
        case made if axis > 0:
            return False
    return made is not None and module.text(made) == module.text(length)


def _is_bound_once(module: Module, array: ast.expr) -> bool:
    return isinstance(array, ast.Name) and module.names.only_binding(array) is not None


def _is_same(module: Module, one: ast.expr, other: ast.expr) -> bool:
    """Whether both read the same variable, or the same attribute of one."""
    same = "".join(module.text(one).split()) == "".join(module.text(other).split())
    return same and _scope(module, one) is _scope(module, other)


def _scope(module: Module, expr: ast.expr) -> ast.AST | None:
    while isinstance(expr, ast.Attribute):
        expr = expr.value
    return module.scope_of(expr.id, expr) if isinstance(expr, ast.Name) else None
