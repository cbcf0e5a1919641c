"""Models that a step calls and is passed, under the `jit` of their library: their weights are data."""

import ast
from collections.abc import Iterable, Sequence

from jaxfix.api import Module, returned, walk
from jaxfix.api.analysis import Values, class_of, demands, family, is_of_others, methods, own_class, value_at
from jaxfix.api.library import Class, Result, Transform, where

_BASES = where(Class.MODEL)
_REPLACING = where(Result.REPLACED)
_MAPS = where(Transform.MAPS_LEAVES)
_PACKAGES = frozenset(name.rpartition(".")[0] for name in _BASES)
_ROOTS = frozenset(name.partition(".")[0] for name in _BASES)


def models_in(module: Module, values: Values, parts: Iterable[ast.AST]) -> dict[str, str]:
    """The variables that the statements call, or map over, and that surely hold a model, with its library."""
    found: dict[str, str] = {}
    if not may_have_models(module):
        return found
    for part in parts:
        for node in walk(part):
            if isinstance(node, ast.Call):
                for called in (node.func, *node.args[:1]):
                    library = library_of(module, values, called)
                    if library is not None:
                        found[module.text(called)] = library
    return found


def may_have_models(module: Module) -> bool:
    """Whether the file imports a library whose models are called."""
    return not _ROOTS.isdisjoint([name.partition(".")[0] for name in module.names.imports.values()])


def library_of(module: Module, values: Values, holder: ast.expr) -> str | None:
    """That of all objects that a variable, or an attribute of an object of this file, may hold.

    Returns:
      None where one of them may be anything else.
    """
    if not may_have_models(module):
        return None
    if isinstance(holder, ast.Name):
        bindings = module.bindings(holder.id, module.scope_of(holder.id, holder))
        if len(bindings) == 1 and isinstance(bindings[0].node, ast.arg) and bindings[0].node.annotation is not None:
            return _of_class(module, bindings[0].node.annotation)
        pending = [*values.origins.of(holder)]
    else:
        pending = held_by(module, values, holder) if isinstance(holder, ast.Attribute) else []
    found, seen = set[str | None](), set[ast.AST]()
    while pending and None not in found:
        source = pending.pop()
        if source in seen:
            continue
        seen.add(source)
        if isinstance(source, ast.Attribute) and (held := held_by(module, values, source)):
            pending += held
            continue
        if not isinstance(source, ast.Call):
            return None
        same = _same(module, source)
        for expr in same:
            pending += values.origins.of(expr)
        if not same:
            found.add(_of_class(module, source.func))
    return found.pop() if len(found) == 1 else None


def held_by(module: Module, values: Values, attribute: ast.Attribute) -> list[ast.AST]:
    """What an attribute of an object of a class of this file is bound to, wherever that is."""
    owner = own_class(module, attribute.value)
    if owner is None:
        return []
    classes = family(module, owner)
    found: list[ast.AST] = []
    for node in module.attributes(attribute.attr):
        if isinstance(node.ctx, ast.Store) and not is_of_others(module, node, classes):
            value, statement = value_at(module, node), module.statement(node)
            if value is None and isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
                value = statement.value  # one of several results
            behind = module.only_value(value) if isinstance(value, ast.Name) else value
            is_same = isinstance(behind, ast.Attribute) and behind.attr == attribute.attr  # of another object
            found += values.origins.of(value) if value is not None and not is_same else ()
    return found


def _same(module: Module, call: ast.Call) -> Sequence[ast.expr]:
    """What comes back from a call: of `eqx.apply_updates(model, updates)`, with other leaves, `model`."""
    qualname = module.qualname(call.func)
    if qualname is not None:
        return call.args[:1] if qualname in _REPLACING else call.args[1:2] if qualname in _MAPS else ()
    function = module.definition(call.func)
    return returned(function) if function is not None else ()


def _of_class(module: Module, named: ast.expr) -> str | None:
    """The library of the models that a class makes: one of the file, or a layer of the library itself."""
    owner = class_of(module, named)
    if owner is not None and any(demands(module, each).reason for each in methods(family(module, owner), "__call__")):
        return None  # it prints, counts or draws
    bases = [base for each in family(module, owner) for base in each.bases] if owner is not None else [named]
    for base in bases:
        name = module.qualname(base) or ""
        package = next((each for each in _PACKAGES if name.startswith(f"{each}.")), None)
        if package is not None and (name in _BASES or name.rpartition(".")[2][:1].isupper()):
            return package
    return None
