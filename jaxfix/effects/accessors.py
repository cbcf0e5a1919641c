"""Attributes of which a read or an assignment runs code of their class: descriptors, properties, `__setattr__`."""

import ast
from collections.abc import Iterator

from jaxfix.effects.stability import KNOWN_PACKAGES
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.classes import class_of, family, own_class
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import SETTERS
from jaxfix.semantic.receivers import classes_held
from jaxfix.syntax.nodes import FUNCTIONS, last_name, walk

_OF_ALL = frozenset({"__setattr__", "__delattr__", "__getattribute__", "__getattr__"})
_OF_ONE = frozenset({"__get__", "__set__", "__delete__"})
_COMPUTING = ("property", "cached_property", "partialmethod")


def why_computed(module: Module, attribute: ast.Attribute) -> Reason | None:
    """Why a read or an assignment of `attribute` may do more than that, as far as this file tells.

    Returns:
      None where it holds what was assigned to it last. Of an object of unknown class each class is asked that has an
      attribute of the name; methods are none, unless something is assigned to them.
    """
    name, is_bound = attribute.attr, isinstance(attribute.ctx, ast.Store)
    owner = own_class(module, attribute.value)
    classes: dict[ast.ClassDef, None] = {}
    for each in [owner] if owner is not None else classes_held(module, attribute.value):
        classes.update(dict.fromkeys(family(module, each)))
    for each in classes or module.nodes(ast.ClassDef):
        special = sorted(_OF_ALL & module.names.bound_in(each))
        if special and (classes or _has(each, name)):
            return Reason(Code.SIDE_EFFECT, f"`{each.name}.{special[0]}` runs where `{module.text(attribute)}` is used")
    for each in classes or module.nodes(ast.ClassDef):
        if any(_is_computing(module, value) for value in _values(module, each, name, is_bound=is_bound)):
            return Reason(Code.SIDE_EFFECT, f"`{each.name}.{name}` may compute what it is assigned, or what is read")
    return None


def _has(owner: ast.ClassDef, name: str) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == name for node in walk(owner))


def _values(module: Module, owner: ast.ClassDef, name: str, *, is_bound: bool) -> Iterator[ast.AST]:
    """What the class itself has under the name, in its body or by a later assignment."""
    for binding in module.bindings(name, owner):
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else binding.node
        if value is not None and (is_bound or not isinstance(value, FUNCTIONS)):
            yield value
    for node in module.attributes(name):
        if isinstance(node.ctx, ast.Store) and class_of(module, node.value) is owner:
            yield module.value_of(node) or node
    for call in module.spelled_calls(SETTERS):
        match call.args:
            case [target, ast.Constant(value=text), value] if text == name and class_of(module, target) is owner:
                yield value


def _is_computing(module: Module, value: ast.AST) -> bool:
    """Whether an object that a class has, as `property(get, set)`, may answer for an attribute of its objects."""
    known = module.only_value(value) if isinstance(value, ast.Name) else None
    match known or value:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            return True
        case ast.Call(func=func):
            made = class_of(module, func)
            if made is None:
                is_builtin = isinstance(func, ast.Name) and module.scope_of(func.id, func) is None
                is_known = is_builtin or (module.qualname(func) or "").partition(".")[0] in KNOWN_PACKAGES
                return last_name(func) in _COMPUTING or not is_known
            return any(_OF_ONE & module.names.bound_in(each) for each in family(module, made))
    return False
