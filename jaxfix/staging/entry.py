"""How a function of a file is reached: by its name, its uses, and its dotted name in other files."""

import ast
from collections.abc import Iterator
from enum import Enum

from jaxfix.semantic.module import Module
from jaxfix.staging import visibility
from jaxfix.staging.call_edges import CallEdge, CallGraph, Use
from jaxfix.staging.replaced import is_replaced
from jaxfix.syntax.nodes import Function


class Nature(Enum):
    """What is called by the name of a function."""

    PLAIN = "it"
    STRANGE = "what an unknown decorator made of it"
    REPLACED = "perhaps what was put in its place"


def nature_of(module: Module, function: Function) -> Nature:
    if visibility.has_strange_decorator(module, function):
        return Nature.STRANGE
    return Nature.REPLACED if is_replaced(module, function) else Nature.PLAIN


def entering(module: Module, function: Function) -> Iterator[Use]:
    """The uses of `function`, except those inside of it and of the rules for its derivative."""
    for use in module.get(CallGraph).uses(function):
        around = module.functions_around(use.site) if isinstance(use, CallEdge) else ()
        if function not in around and all(visibility.ruled_by(module, outer) is not function for outer in around):
            yield use


def is_called(module: Module, function: Function) -> bool:
    """Whether its own file has a use for a function that it does not list as what it offers."""
    return any(entering(module, function)) and not visibility.is_listed(module, function)


def is_named_otherwise(module: Module, function: Function, name: str) -> bool:
    """Whether it is a method whose callers are found by its attribute, on whatever object."""
    return visibility.plain_method(module, function) not in (None, name)


def is_method_for_others(module: Module, function: Function) -> bool:
    """Whether unknown code may call `function` on an object: where that comes from is not always read."""
    is_method = module.method_of(function) is not None and not visibility.is_static(function)
    has_no_name = visibility.name_for_others(module, function) is None
    return visibility.is_public(module, function) and (has_no_name or is_method)


def attribute_for_others(module: Module, function: Function) -> str | None:
    """The `.name` of a private method that nothing in its file calls: it is for the bases of its class, elsewhere.

    Returns:
      None for any other function.
    """
    owner = module.method_of(function)
    if owner is None or not owner.bases or isinstance(function, ast.Lambda) or module.get(CallGraph).uses(function):
        return None
    return f".{function.name}" if visibility.is_private(function.name) else None


def names_for_others(module: Module, function: Function) -> tuple[str, ...]:
    """The names by which other files know it, or call it on an object."""
    method = visibility.plain_method(module, function)
    names = (visibility.name_for_others(module, function), attribute_for_others(module, function), method)
    return tuple(name for name in names if name is not None)
