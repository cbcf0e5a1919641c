"""The last statement of a step, which wants a value on the host: what it computes is included, and comes back."""

import ast

from jaxfix.api import Module
from jaxfix.api.analysis import Form, Values
from jaxfix.api.library import Effect, Member, Result, short_names, where
from jaxfix_codemods.jitting.displays import has_sorted_keys, is_reordered
from jaxfix_codemods.jitting.whole import leaves, plain_value
from jaxfix_codemods.unjitted_update.binding import counts_iterations
from jaxfix_codemods.unjitted_update.device import Device

_NUMBERS = short_names(Effect.FETCHES, "builtins") & short_names(Result.IMMUTABLE, "builtins")
_COPIES = where(Effect.FETCHES)
_CONCRETE = short_names(Member.CONCRETE)


def result_of(module: Module, statement: ast.stmt) -> ast.expr | None:
    """What a `return` computes on the device: `x` of `return float(x)`; None where that is nothing, or no arrays.

    Of several values that are fetched, such as `float(a), float(b.mean())`, the one that is not computed before.
    """
    if not isinstance(statement, ast.Return) or statement.value is None:
        return None
    found = _fetched_of_several(module, statement.value) or _fetched(module, statement.value)
    return found if _comes_back(module, found) else None


def read_by(module: Module, statement: ast.stmt) -> ast.expr | None:
    """What a statement computes on the device for the host: `x` of `total += float(x)`, `history["loss"].append(x)`."""
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute()], value=value):
            found = _fetched(module, value)
        case ast.AugAssign(target=ast.Name() | ast.Attribute(), value=value):
            found = _fetched(module, value)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=items, attr="append"), args=[kept], keywords=[])):
            if not _is_variable_or_item(items):
                return None
            value, found = statement.value, _fetched_of_several(module, kept) or _fetched(module, kept)
        case _:
            return None
    is_kept = found is not value and not _counts_on_host(module, found) and _comes_back(module, found)
    return found if is_kept else None


def _is_variable_or_item(items: ast.expr) -> bool:
    """Whether it is a variable, an attribute of one, or an item of either by a written key."""
    match items:
        case ast.Subscript(value=value, slice=ast.Constant()):
            items = value
    return isinstance(items, ast.Name) or (isinstance(items, ast.Attribute) and isinstance(items.value, ast.Name))


def _counts_on_host(module: Module, expr: ast.expr) -> bool:
    """Whether Python numbers meet before an array does: a step would compute with single ones."""
    match expr:
        case ast.BinOp(left=left, right=right):
            if not any(_is_of_device(module, side) for side in (left, right)):
                return any(not _is_counter(module, node) for node in ast.walk(expr) if isinstance(node, ast.Name))
            return _counts_on_host(module, left) or _counts_on_host(module, right)
        case ast.UnaryOp(operand=operand):
            return _counts_on_host(module, operand)
        case ast.Call():
            indices = {
                node for each in ast.walk(expr) if isinstance(each, ast.Subscript) for node in ast.walk(each.slice)
            }
            operations = (node for node in ast.walk(expr) if isinstance(node, ast.BinOp) and node not in indices)
            return any(_is_of_numbers(module, node) for node in operations)
    return False


def _is_of_numbers(module: Module, operation: ast.BinOp) -> bool:
    """Whether both sides are known as Python numbers, and not as counters."""
    values, sides = module.get(Values), (operation.left, operation.right)
    if not all(values.of(side).form is Form.PYTHON for side in sides):
        return False
    return any(not _is_counter(module, node) for node in ast.walk(operation) if isinstance(node, ast.Name))


def _is_of_device(module: Module, side: ast.expr) -> bool:
    return module.get(Device).is_array(side) or module.get(Device).starts(side) > 0


def _is_counter(module: Module, name: ast.Name) -> bool:
    bound = module.bindings(name.id, module.scope_of(name.id, name))
    return bool(bound) and all(counts_iterations(module, each.node) for each in bound)


def _comes_back(module: Module, found: ast.expr) -> bool:
    """Whether it is computed on the device, and a jitted function returns it as it is."""
    device, values = module.get(Device), module.get(Values)
    if not device.starts(found):
        return False
    if any(isinstance(leaf, ast.Attribute) and not device.is_array(leaf) for leaf in leaves(found)):
        return False  # it may be a Python number
    if any(plain_value(module, values, leaf) is not None for leaf in leaves(found)):
        return False
    displays = (node for node in ast.walk(found) if isinstance(node, ast.Dict))
    return all(map(has_sorted_keys, displays)) and not is_reordered(module, values, found)


def _fetched_of_several(module: Module, value: ast.expr) -> ast.expr | None:
    """The only array computed in place, and fetched, among several values; the others are names, fetched or not."""
    match value:
        case ast.Tuple(elts=several) | ast.Dict(values=several):
            pass
        case _:
            return None
    every = [(each, _fetched(module, each)) for each in several]
    computed = [pair for pair in every if not isinstance(pair[1], ast.Name | ast.Constant)]
    return computed[0][1] if len(computed) == 1 and computed[0][0] is not computed[0][1] else None


def _fetched(module: Module, expr: ast.expr) -> ast.expr:
    """The array of which `expr` is the value on the host."""
    match expr:
        case ast.Call(func=ast.Name(id=name), args=[only], keywords=[]) if name in _NUMBERS:
            return only if module.scope_of(name, expr) is None else expr
        case ast.Call(func=func, args=[only], keywords=[]) if module.qualname(func) in _COPIES:
            return only
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[], keywords=[]) if attr in _CONCRETE:
            return value
    return expr
