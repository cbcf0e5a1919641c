"""Code that goes over a dictionary in its order: `jit` passes it with its keys sorted."""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import Values
from jaxfix_codemods.jitting.displays import unsorted_depths
from jaxfix_codemods.jitting.traced import reads_of_parameter, reads_of_variable

_VIEWS = ("items", "keys", "values")
_LISTS = ("list", "tuple")
_IN_ORDER = ("enumerate", "filter", "iter", "map", "next", "reversed", "zip")
_SUMS = ("all", "any", "dict", "frozenset", "len", "max", "min", "set", "sorted", "sum")
"""What comes of these does not depend on the order, up to rounding."""
_ADDED = (ast.Add, ast.Sub, ast.Mult, ast.BitOr, ast.BitAnd)


def check_order(module: Module, values: Values, name: str, reads: Iterable[ast.expr]) -> None:
    """Refuses a dictionary, called `name`, whose order matters to code that is to be jitted.

    Args:
      reads: where that code reads it.

    Raises:
      Declined: its keys may not be sorted, as `jit` passes them, and the code goes over it in their order.
    """
    reads = [*reads]
    places = [*_in_order(module, reads)]
    depths = frozenset[int]().union(*(unsorted_depths(module, values, read) for read in reads if places))
    place = next((place for place, depth in places if depth in depths), None)
    if place is not None:
        text = f"line {place.lineno} goes over `{name}` in order, and `jit` passes it with its keys sorted"
        raise Declined(Reason(Code.STRUCTURE, text, place.lineno))


def _in_order(module: Module, reads: list[ast.expr]) -> Iterator[tuple[ast.expr, int]]:
    """Where what is read, or a part that is so deep in it, is gone over in its order, also by functions of the file."""
    pending, met = [(read, 0) for read in reads], set[ast.expr]()
    for read, depth in pending:  # grows
        if read in met:
            continue
        met.add(read)
        view = _view(module, read)
        if _is_in_order(module, view):
            yield view, depth
        pending += [(each, depth) for each in _wholes(module, read)]
        pending += [(each, depth + 1) for each in _items(module, view)]


def _view(module: Module, read: ast.expr) -> ast.expr:
    """`read.items()` or the like where that is asked for; else `read` itself."""
    match module.parent(read):
        case ast.Attribute(attr=attr) as method if attr in _VIEWS:
            call = module.parent(method)
            return call if isinstance(call, ast.Call) and call.func is method else read
    return read


def _is_in_order(module: Module, view: ast.expr) -> bool:
    match module.parent(view):
        case ast.For(iter=whole) as loop if whole is view:
            return not _is_free(module, loop)
        case ast.comprehension(iter=whole) as part if whole is view:
            return not _is_unordered(module, module.parent(part))
        case ast.Call(func=ast.Name(id=name) as func) as call if func is not view and name in (*_LISTS, *_IN_ORDER):
            if module.scope_of(name, func) is not None:
                return False
            around = module.parent(call)
            is_gone_over = isinstance(around, ast.For | ast.comprehension) or _is_unordered(module, call)
            return _is_in_order(module, call) if name in _LISTS and is_gone_over else True
        case ast.Starred():
            return True
        case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value):
            return value is view
    return False


def _is_unordered(module: Module, made: ast.AST | None) -> bool:
    """Whether the order of what a comprehension, or a call, makes is lost where it is read."""
    if isinstance(made, ast.DictComp | ast.SetComp):
        return True
    match module.parent(made) if made is not None else None:
        case ast.Call(func=ast.Name(id=name) as func):
            return func is not made and name in _SUMS and module.scope_of(name, func) is None
    return False


def _wholes(module: Module, read: ast.expr) -> Iterator[ast.expr]:
    """Where what is read is read next, under another name or by a function."""
    yield from reads_of_variable(module, read)
    outer = module.parent(read)
    call = module.parent(outer) if isinstance(outer, ast.keyword) else outer
    if isinstance(call, ast.Call) and call.func is not read:
        yield from reads_of_parameter(module, read, call)


def _items(module: Module, view: ast.expr) -> Iterator[ast.expr]:
    """Where items of what is read are read: by an index, or by the variables of a loop."""
    outer = module.parent(view)
    if isinstance(outer, ast.Subscript) and outer.value is view:
        yield outer
    while isinstance(outer, ast.Call) and isinstance(outer.func, ast.Name) and outer.func.id in (*_LISTS, *_IN_ORDER):
        view, outer = outer, module.parent(outer)
    if isinstance(outer, ast.For | ast.comprehension) and outer.iter is view:
        for node in walk(outer.target):
            if isinstance(node, ast.Name):
                yield from module.reads(node.id, module.scope_of(node.id, node) or module.tree)


def _is_free(module: Module, loop: ast.For) -> bool:
    """Whether no iteration reads what another one has computed, except to add to it."""
    inside = [node for statement in loop.body for node in walk(statement)]
    if any(isinstance(node, ast.Break | ast.Return | ast.Yield | ast.YieldFrom | ast.NamedExpr) for node in inside):
        return False
    if any(isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) for node in inside):
        return False
    known = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
    stores = [
        node
        for node in inside
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
    ]
    return all(_is_apart(module, loop, inside, store, known) for store in stores)


def _is_apart(module: Module, loop: ast.For, inside: list[ast.AST], store: ast.expr, known: set[str]) -> bool:
    if isinstance(store, ast.Subscript):
        return any(isinstance(node, ast.Name) and node.id in known for node in walk(store.slice))
    if not isinstance(store, ast.Name):
        return False
    uses = [node for node in inside if isinstance(node, ast.Name) and node.id == store.id]
    if _is_sum(module.statement(store), store.id):
        return all(module.statement(use) is module.statement(store) for use in uses)
    first = module.statement(min(uses, key=lambda use: (use.lineno, use.col_offset)))
    if first not in loop.body or not isinstance(first, ast.Assign):
        return False
    is_read_first = any(isinstance(node, ast.Name) and node.id == store.id for node in walk(first.value))
    later = module.reads(store.id, module.scope_of(store.id, store) or module.tree)
    return not is_read_first and {*later} <= {*uses}


def _is_sum(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.AugAssign(target=ast.Name(id=target), op=op, value=value):
            rest = value
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.BinOp(left=ast.Name(id=left), op=op, right=rest)):
            if left != name:
                return False
        case _:
            return False
    is_read = any(isinstance(node, ast.Name) and node.id == name for node in walk(rest))
    return target == name and isinstance(op, _ADDED) and not is_read
