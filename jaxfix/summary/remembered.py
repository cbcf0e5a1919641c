"""Which functions of a file may give the same at the next call: read on demand, which is rare."""

import ast
from collections.abc import Iterator

from jaxfix.effects.remembering import remembers
from jaxfix.library.facets import Effect
from jaxfix.library.table import where
from jaxfix.semantic.classes import class_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of

_MEMOS = where(Effect.MEMOISES)


def remembered(module: Module) -> tuple[str, ...]:
    """The functions that may give the same again; methods by the variables that hold an object of their class."""
    return tuple(sorted(_remembered(module)))


def _remembered(module: Module) -> Iterator[str]:
    made = [(target.id, owner) for target, owner in _own_objects(module)]
    if not made and not _may_keep_objects(module):
        return
    for function in module.functions:
        outer = module.parent(function)
        is_outermost = outer is module.tree or any(owner is outer for _, owner in made)
        if isinstance(function, ast.FunctionDef) and is_outermost and remembers(module, function):
            prefixes = [""] if outer is module.tree else [f"{name}." for name, owner in made if owner is outer]
            yield from (f"{prefix}{function.name}" for prefix in prefixes)


def _own_objects(module: Module) -> Iterator[tuple[ast.Name, ast.ClassDef]]:
    """The variables of the module that hold an object of one of its classes."""
    for target, value in module.names.assigned:
        is_global = isinstance(value, ast.Call) and module.function(target) is None
        owner = class_of(module, value.func) if is_global and isinstance(value, ast.Call) else None
        if owner is not None:
            yield target, owner


def _may_keep_objects(module: Module) -> bool:
    """Whether a function has a memo, or puts something into a variable of the module."""
    roots = (root for several in changes_of(module).roots.values() for root in several)
    is_filled = any(module.scope_of(root.id, root) is module.tree and module.function(root) for root in roots)
    return is_filled or b"global " in module.source.text or any(map(module.names.references, _MEMOS))
