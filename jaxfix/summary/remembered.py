"""Which functions of a file may give the same at the next call: read on demand, which is rare."""

import ast
from collections.abc import Iterator

from jaxfix.effects.attributes import why_object_changes
from jaxfix.effects.remembering import remembers
from jaxfix.effects.traceability import demands
from jaxfix.library.facets import Effect, Package
from jaxfix.library.table import where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.classes import class_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of
from jaxfix.semantic.project.summary_types import DOES_MORE, USES
from jaxfix.staging.jit import jitted_by_decorator
from jaxfix.syntax.nodes import Function, walk

_READING = where(Package.READS)
_MEMOS = where(Effect.MEMOISES)


def remembered(module: Module) -> tuple[str, ...]:
    """The functions that may give the same again; methods by the variables that hold an object of their class."""
    return tuple(sorted({*_remembered(module), *_doing(module)}))


def _doing(module: Module) -> Iterator[str]:
    """The functions, and methods of classes, that a trace does not do as often as the calls, or with what they read.

    Of the others what they use.
    """
    for function in module.functions:
        owner = module.parent(function)
        if not isinstance(function, ast.FunctionDef) or jitted_by_decorator(module, function) is not None:
            continue
        if owner is module.tree:
            name, reason = function.name, _why_more(module, function)
        elif isinstance(owner, ast.ClassDef) and module.parent(owner) is module.tree:
            name = f"{owner.name}.{function.name}"
            reason = _why_more(module, function) or why_object_changes(module, function)
        else:
            continue
        yield from (
            [f"{DOES_MORE}{name}"] if reason is not None else (f"{USES}{name} {u}" for u in _used(module, function))
        )


def _used(module: Module, function: ast.FunctionDef) -> Iterator[str]:
    """The functions of this file that one uses, after a dot, and what it uses of other files."""
    for node in walk(function):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            qualname, used = module.qualname(node), module.definition(node)
            if qualname is not None and qualname.partition(".")[0] not in _READING:
                yield module.names.absolute(qualname)
            elif isinstance(used, ast.FunctionDef) and module.parent(used) is module.tree:
                yield f".{used.name}"


def _why_more(module: Module, function: ast.FunctionDef) -> Reason | None:
    """As `demands`, also of the functions that it makes; its decorators are among what it uses."""
    made = module.get(_made_in).get(function, ())
    reasons = (demands(module, each).reason for each in (function, *made))
    return next((each for each in reasons if each is not None and each.code is not Code.DECORATED), None)


def _made_in(module: Module) -> dict[Function, list[Function]]:
    """Of each function those inside it, in the order of the text."""
    found: dict[Function, list[Function]] = {}
    for each in module.functions:
        for outer in module.functions_around(each):
            found.setdefault(outer, []).append(each)
    return found


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
