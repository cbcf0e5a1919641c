"""Classes of one file with their bases and subclasses: which methods `self.name` may mean, and who calls them."""

import ast

from jaxfix.library.facets import Class
from jaxfix.library.table import where
from jaxfix.semantic.calls import made_by
from jaxfix.semantic.module import Module
from jaxfix.syntax.bindings import Binding
from jaxfix.syntax.nodes import Function
from jaxfix.syntax.signatures import positional_of

_OPEN_BASES = where(Class.OPEN)
"""Bases that say nothing of how objects are made, compared or read."""


def family(module: Module, owner: ast.ClassDef) -> tuple[ast.ClassDef, ...]:
    """All classes of this file that an object of `owner` can be of.

    Returns:
      `owner`, its bases and subclasses, and the other bases of these; each once, `owner` first.
    """
    known = module.get(_families)
    if owner not in known:
        known[owner] = _family(module, owner)
    return known[owner]


def _families(module: Module) -> dict[ast.ClassDef, tuple[ast.ClassDef, ...]]:
    return {}


def _family(module: Module, owner: ast.ClassDef) -> tuple[ast.ClassDef, ...]:
    found = [owner, *bases_of(module, owner)]
    for other in module.nodes(ast.ClassDef):
        if owner in (bases := bases_of(module, other)):
            found += [other, *bases]
    return tuple(dict.fromkeys(found))


def strange_base(module: Module, owner: ast.ClassDef) -> ast.expr | None:
    """A base of `owner` that is in no class of this file, and may do anything.

    Returns:
      The first of them; None where there is none.
    """
    for base in owner.bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        is_object = isinstance(named, ast.Name) and named.id == "object"
        if not is_object and module.qualname(named) not in _OPEN_BASES and class_of(module, named) is None:
            return base
    return None


def methods(classes: tuple[ast.ClassDef, ...], name: str) -> tuple[ast.FunctionDef, ...]:
    """The methods of that name of any of `classes`, in their order; none where they have none."""
    members = (member for owner in classes for member in owner.body)
    return tuple(member for member in members if isinstance(member, ast.FunctionDef) and member.name == name)


def own_parameter(function: Function) -> str | None:
    """The name that a method has for its object.

    Returns:
      None for a function without positional parameters.
    """
    parameters = positional_of(function.args)
    return parameters[0].arg if parameters else None


def class_around(module: Module, node: ast.AST) -> ast.ClassDef | None:
    """The class whose method contains `node`, also inside nested functions.

    Returns:
      None where it is in none.
    """
    around = module.functions_around(node)
    return module.method_of(around[-1]) if around else None


def own_class(module: Module, receiver: ast.AST) -> ast.ClassDef | None:
    """The class of this file that `receiver` is surely an object of, or of a subclass: `self`, or a name bound once.

    Returns:
      None where that is not certain.
    """
    if not isinstance(receiver, ast.Name):
        return None
    owner = class_around(module, receiver)
    if owner is not None and _is_own_object(module, receiver, module.functions_around(receiver)[-1]):
        return owner
    made = made_by(module, receiver)
    return class_of(module, made) if made is not None else None


def _is_own_object(module: Module, receiver: ast.Name, method: Function) -> bool:
    """Whether `receiver` is the object of the method: a static one has none."""
    decorators = getattr(method, "decorator_list", ())
    is_static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in decorators)
    is_own = own_parameter(method) == receiver.id and module.scope_of(receiver.id, receiver) is method
    return is_own and not is_static


def is_of_others(module: Module, attribute: ast.Attribute, classes: tuple[ast.ClassDef, ...]) -> bool:
    """Whether `attribute` is surely not read or stored on an object of `classes`."""
    owner = own_class(module, attribute.value)
    return owner is not None and not set(family(module, owner)) & set(classes)


def bases_of(module: Module, owner: ast.ClassDef) -> tuple[ast.ClassDef, ...]:
    """The bases of `owner` in this file, and theirs, each before its own."""
    found: dict[ast.ClassDef, None] = {}
    pending = _own_bases(module, owner)
    while pending:
        base = pending.pop(0)
        if base not in found:
            found[base] = None
            pending[:0] = _own_bases(module, base)
    return tuple(found)


def _own_bases(module: Module, owner: ast.ClassDef) -> list[ast.ClassDef]:
    named = (base.value if isinstance(base, ast.Subscript) else base for base in owner.bases)
    return [found for base in named if (found := class_of(module, base)) is not None]


def class_of(module: Module, expr: ast.expr) -> ast.ClassDef | None:
    """The class of this file that `expr` names.

    Returns:
      None where it is not a name, or one that is bound to anything else as well.
    """
    if not isinstance(expr, ast.Name):
        return None
    match module.bindings(expr.id, module.scope_of(expr.id, expr)):
        case (Binding(node=ast.ClassDef() as owner),):
            return owner
    return None
