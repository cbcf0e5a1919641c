"""An old name of a type: where only readers of types see it, and where code asks objects for it."""

import ast

from jaxfix.api import Module
from jaxfix.api.library import NAMED, Way

_SAME = {name: row.new for row in NAMED.values() if row.way is Way.TYPE for name in (row.old, row.older, row.new)}
"""By the names that a type has had, today's."""


def is_type(module: Module, node: ast.AST) -> bool:
    """Whether nothing but a reader of types asks for it: in an annotation, or between the brackets of `Union`."""
    return _reader(module, node) is not None


def is_plain_type(module: Module, node: ast.AST) -> bool:
    """As `is_type`; not in a `Union` of which the new name leaves one member: that has no `__args__`."""
    reader = _reader(module, node)
    match reader:
        case ast.Subscript(slice=ast.Tuple(elts=[_, _, *_] as parts)):
            types = {_SAME.get(module.qualname(part) or "") for part in parts}
            return len(types) > 1 or None in types
    return reader is not None


def is_asked_for(module: Module, node: ast.AST) -> bool:
    """Whether code may ask objects for the type that is named: in `isinstance`, by `is`, in a registry, as a base.

    An alias that only annotations read asks for nothing, of a `Union` neither.
    """
    reader = _reader(module, node)
    value = node if reader is None else reader
    match module.parent(value):
        case ast.Assign(targets=[ast.Name(id=name) as target], value=whole) if whole is value:
            return any(not is_type(module, use) for use in module.names.reads(name, module.scope_of(name, target)))
    return reader is None


def is_never_run(module: Module, node: ast.AST) -> bool:
    """Whether Python never evaluates it: an annotation that stays text, or what is for type checkers alone."""
    reader = _reader(module, node)
    if isinstance(reader, ast.arg | ast.AnnAssign | ast.FunctionDef | ast.AsyncFunctionDef):
        is_local = isinstance(reader, ast.AnnAssign) and module.function(reader) is not None
        if is_local or _has_lazy_annotations(module):
            return True
    return _is_for_checkers(module, node)


def _is_for_checkers(module: Module, node: ast.AST) -> bool:
    inner = node
    for outer in module.ancestors(node):
        match outer:
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), body=body):
                if inner in body:
                    return True
        inner = outer
    return False


def _has_lazy_annotations(module: Module) -> bool:
    return any(
        each.module == "__future__" and any(alias.name == "annotations" for alias in each.names)
        for each in module.nodes(ast.ImportFrom)
    )


def _reader(module: Module, node: ast.AST) -> ast.AST | None:
    """What reads the type: that which it annotates, or the brackets that it is between; None for other code."""
    inner = node
    for outer in module.ancestors(node):
        match outer:
            case ast.arg() | ast.AnnAssign(annotation=ast.AST()) if getattr(outer, "annotation", None) is inner:
                return outer
            case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns):
                return outer if returns is inner else None
            case ast.Subscript(value=value) if value is not inner and _is_typing(module, value):
                return _reader(module, outer) or outer
            case ast.Subscript() | ast.Tuple() | ast.List() | ast.BinOp(op=ast.BitOr()):
                pass
            case _:
                return None
        inner = outer
    return None


def _is_typing(module: Module, expr: ast.expr) -> bool:
    return (module.qualname(expr) or "").startswith("typing")
