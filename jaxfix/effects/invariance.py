"""What a name bound outside of a function stays, from one call of the function to the next."""

import ast
from collections.abc import Iterable, Iterator
from enum import Enum

from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.library.facets import Package, Result, Transform
from jaxfix.library.table import where
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of
from jaxfix.semantic.project.query import REBINDS, SETS_NAMES, STORES
from jaxfix.staging.function_identity import RENEWING
from jaxfix.syntax.bindings import Binding
from jaxfix.syntax.nodes import FUNCTIONS, walk
from jaxfix.syntax.signatures import argument_values

_IMMUTABLE = tuple(f"{name}." for name in where(Package.IMMUTABLE))
_IMPURE = where(Package.WORLD)
_IN_IMPURE = tuple(f"{name}." for name in _IMPURE)
_MUTABLE = where(Result.MUTABLE)
_BINDING = where(Transform.BINDS)
_SHARING = where(Result.SHARED)
_PURE = where(Package.PURE)
_PURE_THROUGHOUT = where(Package.PURE_THROUGHOUT)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ARRAY_MODULES = where(Package.ARRAYS)


class Constancy(Enum):
    """From the best to the worst."""

    CONSTANT = "constant"
    UNSURE = "unsure"
    """Nothing in this module changes it, but another one could."""
    CHANGES = "changes"


_ORDER = (Constancy.CONSTANT, Constancy.UNSURE, Constancy.CHANGES)
_WORST = Lattice(Constancy.CONSTANT, lambda one, other: _worst((one, other)), Constancy.CHANGES)


def constancy(module: Module, name: str, scope: ast.AST) -> Constancy:
    """What `name`, bound in `scope`, stays from one call of a function inside it to the next."""
    return module.get(_constancies)((name, scope))


def _constancies(module: Module) -> Solver[tuple[str, ast.AST], Constancy]:
    return Solver(lambda variable: _constancy(module, *variable), _WORST)


def _constancy(module: Module, name: str, scope: ast.AST) -> Constancy:
    found = module.bindings(name, scope)
    if module.names.imports.get(name) is not None and scope is module.tree:
        found = found[:1]  # imported more than once, always as the same
    if (
        len(found) != 1
        or (bool(module.names.star_imports) and scope is module.tree)
        or _is_changed(module, name, scope)
    ):
        return Constancy.CHANGES
    if scope is module.tree and is_bound_by_a_cell(module, name):
        return Constancy.CHANGES
    (binding,) = found
    if next(repeating(module, binding.node, scope), None) is not None:
        return Constancy.CHANGES
    found_in_text = _constancy_of(module, binding, scope)
    if scope is module.tree and (_is_for_others_to_set(binding) or _is_perhaps_rebound(module, name)):
        return _worst((found_in_text, Constancy.UNSURE))
    return found_in_text


def _is_for_others_to_set(binding: Binding) -> bool:
    """Whether another module may well rebind the variable: its name is neither private nor that of a constant."""
    name = binding.name
    return isinstance(binding.node, ast.Name) and not name.startswith("_") and name != name.upper()


def _is_perhaps_rebound(module: Module, name: str) -> bool:
    stored = name in changes_of(module).perhaps_rebound or module.surroundings.project.ask(STORES, name)
    return stored or changes_of(module).any_global


def _constancy_of(module: Module, binding: Binding, scope: ast.AST) -> Constancy:
    match binding.node:
        case ast.Import() | ast.ImportFrom():
            qualname = module.names.imports.get(binding.name, "") if scope is module.tree else ""
            return Constancy.CONSTANT if is_pure(qualname) else Constancy.UNSURE
        case ast.FunctionDef() | ast.ClassDef() | ast.arg():
            return Constancy.CONSTANT
        case ast.Name() as target:
            value = module.value_of(target)
            return Constancy.CHANGES if value is None else constancy_of_value(module, value)
    return Constancy.CHANGES


def constancy_of_value(module: Module, value: ast.expr) -> Constancy:
    """What the object that `value` makes stays, once it is made."""
    match value:
        case ast.Constant() | ast.Lambda():
            return Constancy.CONSTANT
        case ast.Name() | ast.Attribute():
            qualname = module.qualname(value)
            if qualname is not None:
                return Constancy.CONSTANT if is_pure(qualname) else Constancy.UNSURE
            scope = module.scope_of(value.id, value) if isinstance(value, ast.Name) else None
            if isinstance(value, ast.Name) and scope is not None:
                return constancy(module, value.id, scope)
            return Constancy.CHANGES
        case ast.Tuple(elts=parts):
            return _worst(constancy_of_value(module, part) for part in parts)
        case ast.UnaryOp(operand=operand):
            return constancy_of_value(module, operand)
        case ast.BinOp(left=left, right=right):
            return _worst(constancy_of_value(module, part) for part in (left, right))
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return Constancy.UNSURE
        case ast.Call(func=func):
            qualname = module.qualname(func) or ""
            if qualname in _BINDING:
                kept = argument_values(value)
                return _worst(constancy_of_value(module, part) for part in kept)
            if is_impure(qualname) or not qualname.startswith(tuple(f"{m}." for m in _ARRAY_MODULES)):
                return Constancy.CHANGES
            return _constancy_of_result(module, value, qualname)
    return Constancy.CHANGES


def _constancy_of_result(module: Module, call: ast.Call, qualname: str) -> Constancy:
    """How constant a result of JAX or NumPy is."""
    if qualname in _SHARING:
        names = [n for argument in call.args for n in walk(argument) if isinstance(n, ast.Name)]
        is_shared = any(constancy_of_value(module, name) is not Constancy.CONSTANT for name in names)
        return Constancy.UNSURE if is_shared else Constancy.CONSTANT
    if qualname in RENEWING:
        return Constancy.CONSTANT
    is_immutable = qualname.startswith(_IMMUTABLE) and qualname not in _MUTABLE
    return Constancy.CONSTANT if is_immutable else Constancy.UNSURE


def _worst(found: Iterable[Constancy]) -> Constancy:
    return max(found, key=_ORDER.index, default=Constancy.CONSTANT)


def is_pure(qualname: str) -> bool:
    """Whether `qualname` is a module, or in one, that gives equal results for equal arguments."""
    return qualname in _PURE or qualname.split(".")[0] in _PURE_THROUGHOUT


def is_impure(qualname: str | None) -> bool:
    """Whether `qualname` reads or changes the world."""
    return qualname is not None and (qualname in _IMPURE or qualname.startswith(_IN_IMPURE))


def _is_changed(module: Module, name: str, scope: ast.AST) -> bool:
    """Whether code of this module stores into the thing that `name` stands for, or binds it by another way."""
    if scope is module.tree and (name in changes_of(module).rebound or is_changed_elsewhere(module, name)):
        return True
    return any(module.scope_of(name, root) is scope for root in changes_of(module).roots.get(name, ()))


def is_bound_by_a_cell(module: Module, name: str) -> bool:
    """Whether a cell of the notebook that is run again can rebind the global, and what reads it is not run again.

    What a cell imports is the same every time, unless modules are reloaded: then all but libraries may be edited.
    """
    notebook = module.source.notebook
    if notebook is None:
        return False
    imported = module.names.imports.get(name)
    if imported is not None:
        return notebook.reloads and not is_pure(imported)
    reads = (use for use in module.reads(name, module.tree) if module.function(use) is not None)
    bound = (binding.node for binding in module.bindings(name))
    return not notebook.are_together(getattr(node, "lineno", 1) for node in (*bound, *reads))


def is_changed_elsewhere(module: Module, name: str) -> bool:
    """Whether another file binds the `name` of this module, or changes what it stands for."""
    own, project = module.surroundings.name, module.surroundings.project
    if own is not None and (project.ask(REBINDS, f"{own}.{name}") or project.ask(SETS_NAMES, own)):
        return True
    borrowed = module.names.imports.get(name)
    return borrowed is not None and project.ask(REBINDS, borrowed)


def repeating(module: Module, node: ast.AST, scope: ast.AST) -> Iterator[ast.AST]:
    """The loops and functions between `node` and `scope`, the innermost first: what they bind there, they rebind."""
    for outer in module.ancestors(node):
        if outer is scope:
            return
        if isinstance(outer, (*LOOPS, *FUNCTIONS)):
            yield outer
