"""Whether an index lies within its array: JAX takes the last element for one beyond, NumPy raises."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, frozen
from jaxfix.api.analysis import Form, Kind, Values, reaching
from jaxfix.api.library import Iteration, Result, rows, short_names

_COUNTING = short_names(Iteration.COUNTS)
_THROUGH = short_names(Iteration.SAME_LENGTH) - _COUNTING
_DRAWN = tuple(row for row in rows(Result.ARRAY) if row.name.startswith("jax.random."))
_SHAPED = {row.name: row for row in (*rows(Result.FILLED), *rows(Result.COUNTS), *_DRAWN) if row.shape_at is not None}


@frozen
class Open:
    """An index that may lie beyond the end of its axis, which is unknown where a slice has taken a part of it."""

    index: ast.expr
    axis: int | None


def are_known(module: Module, array: ast.expr) -> bool:
    """Whether each index that is read of `array`, as in `array[i][0]`, surely lies within it."""
    return not any(True for _ in beyond(module, array))


def beyond(module: Module, array: ast.expr) -> Iterator[Open]:
    """The indices read of `array` that may lie beyond its end."""
    axis: int | None = 0
    inner: ast.expr = array
    while isinstance(outer := module.parent(inner), ast.Subscript) and outer.value is inner:
        parts = outer.slice.elts if isinstance(outer.slice, ast.Tuple) else [outer.slice]
        for part in parts:
            if isinstance(part, ast.Slice):
                axis = None if axis is None or not _is_whole(part) else axis + 1
                continue
            if not _is_known(module, part, array, axis):
                yield Open(part, axis)
            axis = axis + 1 if axis is not None else None
        if any(isinstance(part, ast.Slice) for part in parts):
            axis = None
        inner = outer


def clamped(module: Module, open_: Open, array: str) -> str | None:
    """The text of an index that reads what JAX reads: the last element for one beyond the end, the first before it.

    Args:
      array: the text of the array on the host.

    Returns:
      None where the index may not be an integer, or its axis is unknown.
    """
    index = open_.index
    is_shadowed = any(_is_shadowed(module, name, index) for name in ("min", "max"))
    if open_.axis is None or not _is_whole_number(module, index) or is_shadowed:
        return None
    length = f"{array}.shape[{open_.axis}]"  # of what has no axis `len` raises another error
    least = f"min({module.text(index)}, {length} - 1)"
    return least if _is_natural(module, index) else f"max({least}, -{length})"


def _is_shadowed(module: Module, name: str, at: ast.expr) -> bool:
    return bool(module.bindings(name, module.tree)) or any(
        module.bindings(name, function) for function in module.functions_around(at)
    )


def _is_whole_number(module: Module, expr: ast.expr) -> bool:
    """Whether `expr` is surely an integer of Python."""
    match expr:
        case ast.Constant(value=number):
            return isinstance(number, int) and not isinstance(number, bool)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right=right):
            return all(_is_whole_number(module, side) or _is_bound(module, side) for side in (left, right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_whole_number(module, operand)
        case ast.Name() if _is_counted(module, expr):
            return True
    value = module.get(Values).of(expr)
    return value.form is Form.PYTHON and value.kind is Kind.INT


def _is_bound(module: Module, expr: ast.expr) -> bool:
    """Whether a loop around counts up to `expr`: what is computed with it is an integer, if it is not itself."""
    return isinstance(expr, ast.Name) and _is_a_stop(module, expr)


def _is_natural(module: Module, expr: ast.expr) -> bool:
    """Whether an integer is surely not below zero."""
    match expr:
        case ast.Constant(value=int() as value):
            return value >= 0
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right=right):
            return _is_natural(module, left) and _is_natural(module, right)
        case ast.Name():
            return _is_counted(module, expr) or _is_a_stop(module, expr)
    return False


def _is_counted(module: Module, name: ast.Name) -> bool:
    """Whether `name` counts the iterations of a loop from zero or more."""
    scope = module.scope_of(name.id, name)
    reached = reaching(module, name, module.bindings(name.id, scope)) if scope is not None else ()
    if len(reached) != 1:
        return False
    target = reached[0].node
    match module.parent(target):
        case ast.For(target=only, iter=iterable) | ast.comprehension(target=only, iter=iterable) if only is target:
            return _stop_of(module, iterable) is not None
        case ast.Tuple(elts=[first, _]) as display if first is target:
            match module.parent(display):
                case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
                    match iterable:
                        case ast.Call(func=ast.Name(id="enumerate" as builtin), args=[_], keywords=[]):
                            return module.scope_of(builtin, iterable) is None
    return False


def _stop_of(module: Module, iterable: ast.expr) -> ast.expr | None:
    """What a `range` upwards from zero or more ends before."""
    match iterable:
        case ast.Call(func=ast.Name(id="range" as builtin), args=bounds) if module.scope_of(builtin, iterable) is None:
            match bounds:
                case [stop] | [ast.Constant(value=int()), stop] | [ast.Constant(value=int()), stop, ast.Constant()]:
                    starts = [bound.value for bound in bounds if bound is not stop and isinstance(bound, ast.Constant)]
                    return stop if all(isinstance(each, int) and each >= 0 for each in starts) else None
    return None


def _is_a_stop(module: Module, name: ast.Name) -> bool:
    """Whether a loop around counts up to `name`, which is bound once: within it is greater than zero."""
    if module.names.only_binding(name) is None:
        return False
    for loop in module.loops(name):
        match loop:
            case ast.For(iter=iterable):
                counted = [iterable]
            case ast.ListComp(generators=found) | ast.SetComp(generators=found) | ast.GeneratorExp(generators=found):
                counted = [each.iter for each in found]
            case _:
                continue
        for iterable in counted:
            stop = _stop_of(module, iterable)
            if isinstance(stop, ast.Name) and stop.id == name.id and stop is not name and _is_same(module, stop, name):
                return True
    return False


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
    """Whether `name` counts the iterations of a loop, so that with `offset` it lies within the axis."""
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
