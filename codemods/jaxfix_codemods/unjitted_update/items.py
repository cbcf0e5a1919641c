"""Items that statements pick from sequences and dictionaries by a variable: they are passed, not picked."""

import ast
from collections.abc import Collection

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import is_impure
from jaxfix_codemods.unjitted_update.checks import is_own
from jaxfix_codemods.unjitted_update.device import Device
from jaxfix_codemods.unjitted_update.integers import check_width
from jaxfix_codemods.unjitted_update.variables import computed, touched

Items = dict[str, list[ast.Subscript]]
"""By their text."""


def picked(module: Module, nodes: Collection[ast.AST], scope: ast.AST) -> Items:
    """The items that `nodes` read of what may be no array, by a variable that a loop of `scope` binds, or a parameter.

    Under a trace the variable would be an array, which picks nothing from a list, and of an array of NumPy the last
    element where it is out of bounds.

    Raises:
      Declined: one is read only where something holds, and may not be there else.
    """
    items = [node for node in nodes if isinstance(node, ast.Subscript) and _is_picked(module, node, scope)]
    if not items:
        return {}
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {module.text(n) for n in nodes if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)}
    found: Items = {}
    for item in sorted(items, key=lambda item: (item.lineno, item.col_offset)):
        assert isinstance(item.slice, ast.Name)
        if is_chosen(module, item):
            text = f"`{module.text(item)}` is read only where something holds: a step would be passed it always"
            raise Declined(Reason(Code.NEEDS_VALUE, text))
        check_width(module, item, module.text(item))
        if bound.isdisjoint({module.text(item.value), root(item.value), item.slice.id}):
            found.setdefault(module.text(item), []).append(item)
    return found


def may_fill(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement may change a sequence or a dictionary in place, under any name."""
    if touched(module, statement).writes != computed(module, [statement]).writes:
        return True
    return any(isinstance(node, ast.Call) and _is_unknown(module, node) for node in walk(statement))


def _is_unknown(module: Module, call: ast.Call) -> bool:
    qualname = module.qualname(call.func)
    if qualname is not None:
        return is_impure(qualname)
    return not (isinstance(call.func, ast.Name) and module.scope_of(call.func.id, call) is None)


def _is_picked(module: Module, item: ast.Subscript, scope: ast.AST) -> bool:
    key, around = item.slice, module.parent(item)
    if (
        not isinstance(key, ast.Name)
        or not isinstance(item.ctx, ast.Load)
        or not is_of_scope(module, item.value, scope)
    ):
        return False
    if isinstance(around, ast.Call) and around.func is item:
        return False  # a function
    if module.scope_of(key.id, key) is not scope or not _is_given(module, key, item.value, scope):
        return False
    return not module.get(Device).is_indexed_array(item.value)


def is_chosen(module: Module, item: ast.expr) -> bool:
    """Whether an expression around reads it in one case alone."""
    inner: ast.AST = item
    for outer in module.ancestors(item):
        match outer:
            case ast.stmt():
                return False
            case ast.IfExp(test=first) | ast.BoolOp(values=[first, *_]) if first is not inner:
                return True
        inner = outer
    return False


def is_of_scope(module: Module, whole: ast.expr, scope: ast.AST) -> bool:
    """Whether it is a variable of the scope, or a part of one: of the object of its method an attribute."""
    match whole:
        case ast.Name(id=name):
            return module.scope_of(name, whole) is scope and not is_own(module, whole)
        case ast.Attribute(attr="at"):
            return False
        case ast.Attribute(value=ast.Name() as root) if is_own(module, root):
            return module.scope_of(root.id, root) is scope
        case ast.Attribute(value=inner) | ast.Subscript(value=inner, slice=ast.Constant()):
            return is_of_scope(module, inner, scope)
    return False


def root(whole: ast.expr) -> str:
    while isinstance(whole, ast.Attribute | ast.Subscript):
        whole = whole.value
    return whole.id if isinstance(whole, ast.Name) else ""


def _is_given(module: Module, key: ast.Name, whole: ast.expr, scope: ast.AST) -> bool:
    """Whether loops alone bind the variable, or callers, who may pass a list with a number of it."""
    bound = module.bindings(key.id, scope)
    is_plain = isinstance(whole, ast.Name)
    return bool(bound) and all(
        is_target(module, each.node) or (is_plain and isinstance(each.node, ast.arg)) for each in bound
    )


def is_target(module: Module, node: ast.AST) -> bool:
    """Whether a loop binds `node` to what it runs over, alone or with others."""
    match module.parent(node):
        case ast.Tuple() as pair:
            return is_target(module, pair)
        case ast.For(target=target):
            return target is node
    return False


def item_name(item: ast.Subscript) -> str:
    """A name for the item: `weights_i` of `self.weights[i]`."""
    assert isinstance(item.slice, ast.Name)
    match item.value:
        case ast.Attribute(attr=whole) | ast.Name(id=whole) | ast.Subscript(slice=ast.Constant(value=str(whole))):
            name = f"{whole.strip('_')}_{item.slice.id}"
        case _:
            name = f"item_{item.slice.id}"
    return name if name.isidentifier() else f"item_{item.slice.id}"
