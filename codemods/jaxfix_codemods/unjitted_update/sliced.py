"""Slices that statements take by a variable of a loop: a trace has to know it, so each is taken outside, and passed."""

import ast
from collections import Counter
from collections.abc import Collection

from jaxfix.api import Module, walk
from jaxfix_codemods.jitting.whole import LOOPS
from jaxfix_codemods.unjitted_update.items import Items, is_chosen, is_of_scope, is_target

_STORED = (ast.Name, ast.Attribute, ast.Subscript)
_PLAIN = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Slice, ast.Tuple),
    *(ast.operator, ast.unaryop, ast.expr_context),
)


def sliced(module: Module, nodes: Collection[ast.AST], scope: ast.AST) -> Items:
    """The slices, `images[i : i + size]`, that `nodes` take of variables of the scope which they do not bind."""
    items = [node for node in nodes if isinstance(node, ast.Subscript) and _is_slice(module, node, scope)]
    if not items:
        return {}
    stores = [n for n in nodes if isinstance(n, _STORED) and not isinstance(n.ctx, ast.Load)]
    bound = {module.text(n.value if isinstance(n, ast.Subscript) else n) for n in stores}
    found: Items = {}
    for item in sorted(items, key=lambda item: (item.lineno, item.col_offset)):
        read = [module.text(item.value), *(n.id for n in walk(item.slice) if isinstance(n, ast.Name))]
        is_bound = any(text == one or text.startswith((f"{one}.", f"{one}[")) for one in bound for text in read)
        if not is_bound and not is_chosen(module, item):
            found.setdefault(module.text(item), []).append(item)
    return found


def slicing(module: Module, nodes: Collection[ast.AST], scope: ast.AST) -> frozenset[str]:
    """The variables that `nodes` read in such slices alone."""
    inside = {n for some in sliced(module, nodes, scope).values() for item in some for n in walk(item.slice)}
    names = {n.id for n in inside if isinstance(n, ast.Name)}
    return frozenset(names - {n.id for n in nodes if isinstance(n, ast.Name) and n not in inside})


def slice_name(item: ast.Subscript) -> str:
    """A name for the slice: `images_slice` of `self.images[i : i + size]`."""
    match item.value:
        case ast.Attribute(attr=whole) | ast.Name(id=whole) | ast.Subscript(slice=ast.Constant(value=str(whole))):
            name = f"{whole.strip('_')}_slice"
        case _:
            name = "part"
    return name if name.isidentifier() else "part"


def _is_slice(module: Module, item: ast.Subscript, scope: ast.AST) -> bool:
    parts = item.slice.elts if isinstance(item.slice, ast.Tuple) else [item.slice]
    slices = [part for part in parts if isinstance(part, ast.Slice)]
    if not isinstance(item.ctx, ast.Load) or not slices or not is_of_scope(module, item.value, scope):
        return False
    if not all(isinstance(node, _PLAIN) for node in walk(item.slice)):
        return False
    names = [node for node in walk(item.slice) if isinstance(node, ast.Name)]
    if any(module.scope_of(name.id, name) not in (scope, module.tree) for name in names):
        return False  # of a function of the step
    counted = {name.id for name in names if _is_counted(module, name, scope)}
    return bool(counted) and all(_is_as_long(module, part, counted) for part in slices)


def _is_as_long(module: Module, part: ast.Slice, counted: Collection[str]) -> bool:
    """Whether the slice has the same length whatever the counters are: another one would be compiled for."""
    read = {node.id for node in walk(part) if isinstance(node, ast.Name)}
    if read.isdisjoint(counted):
        return True
    if part.lower is None or part.upper is None or part.step is not None:
        return False
    lower, upper = _terms(module, part.lower), _terms(module, part.upper)
    if lower is None or upper is None:
        return False
    upper.subtract(lower)
    return not any(set(term) & set(counted) for term, factor in upper.items() if factor)


def _terms(module: Module, expr: ast.expr) -> Counter[tuple[str, ...]] | None:
    """The sum of products that an integer is, each with its factor; None where it is none of plain arithmetic."""
    match expr:
        case ast.Constant(value=int(number)):
            return Counter({(): number})
        case ast.Name(id=name):
            value = module.only_value(expr)
            is_made = isinstance(value, ast.BinOp | ast.Call) and any(True for _ in module.loops(value))
            found = _terms(module, value) if is_made and value is not None else None
            return Counter({(name,): 1}) if found is None else found
        case ast.Attribute():
            return Counter({(module.text(expr),): 1})
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _product(Counter({(): -1}), _terms(module, operand))
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _product(_terms(module, left), _terms(module, right))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            sign = Counter[tuple[str, ...]]({(): 1 if isinstance(op, ast.Add) else -1})
            one, other = _terms(module, left), _product(sign, _terms(module, right))
            if one is None or other is None:
                return None
            one.update(other)
            return one
        case ast.Call(func=ast.Name(id="min"), args=[first, _], keywords=[]):
            return _terms(module, first)  # the last one may be shorter
    return None


def _product(
    one: Counter[tuple[str, ...]] | None, other: Counter[tuple[str, ...]] | None
) -> Counter[tuple[str, ...]] | None:
    if one is None or other is None:
        return None
    found = Counter[tuple[str, ...]]()
    for left, factor in one.items():
        for right, more in other.items():
            found[tuple(sorted((*left, *right)))] += factor * more
    return found


def _is_counted(module: Module, name: ast.Name, scope: ast.AST) -> bool:
    """Whether a loop of the scope binds the variable."""
    if module.scope_of(name.id, name) is not scope:
        return False
    bound = [each.node for each in module.bindings(name.id, scope)]
    return any(is_target(module, node) or any(isinstance(loop, LOOPS) for loop in module.loops(node)) for node in bound)
