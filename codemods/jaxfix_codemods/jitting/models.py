"""Models that a step calls and is passed, under the `jit` of their library: their weights are data."""

import ast
from collections.abc import Iterable, Sequence

from jaxfix.api import Module, returned, walk
from jaxfix.api.analysis import Values, class_of, demands, family, methods
from jaxfix.api.library import Class, Result, Transform, where

_BASES = where(Class.MODEL)
_REPLACING = where(Result.REPLACED)
_MAPS = where(Transform.MAPS_LEAVES)
_PACKAGES = frozenset(name.rpartition(".")[0] for name in _BASES)
_ROOTS = frozenset(name.partition(".")[0] for name in _BASES)


def models_in(module: Module, values: Values, parts: Iterable[ast.AST]) -> dict[str, str]:
    """The variables that the statements call, or map over, and that surely hold a model, with its library."""
    found: dict[str, str] = {}
    if _ROOTS.isdisjoint([name.partition(".")[0] for name in module.names.imports.values()]):
        return found
    for part in parts:
        for node in walk(part):
            if isinstance(node, ast.Call):
                for called in (node.func, *node.args[:1]):
                    library = _library(module, values, called) if isinstance(called, ast.Name) else None
                    if library is not None and isinstance(called, ast.Name):
                        found[called.id] = library
    return found


def _library(module: Module, values: Values, name: ast.Name) -> str | None:
    """That of all objects that the variable may hold; None where one of them may be anything else."""
    bindings = module.bindings(name.id, module.scope_of(name.id, name))
    if len(bindings) == 1 and isinstance(bindings[0].node, ast.arg) and bindings[0].node.annotation is not None:
        return _of_class(module, bindings[0].node.annotation)
    found, seen = set[str | None](), set[ast.AST]()
    pending = [*values.origins.of(name)]
    while pending and None not in found:
        source = pending.pop()
        if source in seen:
            continue
        seen.add(source)
        if not isinstance(source, ast.Call):
            return None
        same = _same(module, source)
        for expr in same:
            pending += values.origins.of(expr)
        if not same:
            found.add(_of_class(module, source.func))
    return found.pop() if len(found) == 1 else None


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
