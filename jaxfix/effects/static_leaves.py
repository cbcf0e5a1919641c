"""What a function takes from its arguments beside arrays: JAX tells it apart by `==` alone."""

import ast
from collections.abc import Iterator

from jaxfix.effects.side_effects import body_of
from jaxfix.library.facets import Member, Transform
from jaxfix.library.table import short_names, where
from jaxfix.semantic.module import Module
from jaxfix.staging.function_identity import RENEWING
from jaxfix.syntax.nodes import Function, walk

_ARRAY_PARTS = short_names(Member.ARRAY)
_CONTAINER_PARTS = short_names(Member.CONTAINER)
_TAKERS = RENEWING | where(Transform.CONTROL_FLOW) | where(Transform.MAPS_LEAVES)
"""What calls the function that it is given first."""


def hidden_parts(module: Module, function: Function) -> Iterator[str]:
    """What `function` reads of its arguments, or calls, that may be no array: a function in a state, a setting.

    An object that is handed to a compiled program is the same as another one if what is no array in it is equal:
    as `1`, `1.0` and `True` are, and a function whose surroundings have changed.
    """
    fields = module.get(_fields_of_pairs)
    for node in body_of(function):
        match node:
            case ast.Call(func=ast.Name() | ast.Subscript() as called) if _may_be_handed_in(module, called):
                yield module.text(called)
            case ast.Call(func=func, args=[ast.Name() as given, *_]) if module.qualname(func) in _TAKERS:
                if _may_be_handed_in(module, given):
                    yield given.id
            case ast.Attribute(attr=attr, ctx=ast.Load()) if attr not in _ARRAY_PARTS | _CONTAINER_PARTS | fields:
                if _is_of_variable(module, node):
                    yield module.text(node)


def _may_be_handed_in(module: Module, called: ast.Name | ast.Subscript) -> bool:
    """Whether a function may come out of a local variable that was not seen to be given one."""
    root: ast.expr = called
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    if not isinstance(root, ast.Name) or module.definition(root) is not None:
        return False
    scope = module.scope_of(root.id, root)
    if scope is None or scope is module.tree:
        return False
    return not all(_is_known_function(module, binding.node) for binding in module.bindings(root.id, scope))


def _is_known_function(module: Module, node: ast.AST) -> bool:
    """Whether it binds a function or class of the file, one of a library, or what a transformation returns."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)
    value = module.value_of(node)
    named = value.func if isinstance(value, ast.Call) else value
    return named is not None and module.qualname(named) is not None


def _is_of_variable(module: Module, node: ast.Attribute) -> bool:
    """Whether `node` is a part of a local variable; `x.at[i].set` is none."""
    root: ast.expr = node
    while isinstance(root, ast.Attribute | ast.Subscript):
        if isinstance(root, ast.Attribute) and root.attr == "at":
            return False
        root = root.value
    if not isinstance(root, ast.Name):
        return False
    scope = module.scope_of(root.id, root)
    return scope is not None and scope is not module.tree and module.qualname(root) is None


def _fields_of_pairs(module: Module) -> frozenset[str]:
    """The fields of the named tuples of the file, all of which are parts of a tree; those of other classes are not."""
    found: set[str] = set()
    others: set[str] = set()
    for owner in module.nodes(ast.ClassDef):
        is_pair = any(module.qualname(base) == "typing.NamedTuple" for base in owner.bases)
        (found if is_pair else others).update(module.names.bound_in(owner))
    for call in module.calls("collections.namedtuple"):
        parts = walk(call.args[1]) if len(call.args) == 2 else ()
        texts = (part.value for part in parts if isinstance(part, ast.Constant))
        found.update(name for text in texts if isinstance(text, str) for name in text.replace(",", " ").split())
    return frozenset(found - others)
