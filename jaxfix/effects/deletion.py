"""Whether an array that a program keeps as a constant may be deleted, or donated to a result.

A program that was compiled with it goes on unchanged; one that is traced again finds that the array is gone.
"""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.solver import MAY, Solver
from jaxfix.library.facets import Effect, Member, Result, Takes, Transform
from jaxfix.library.table import short_names, where
from jaxfix.semantic.calls import arguments_of
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import IS_NAMED_AROUND, READS_VARIABLE, REBINDS, USERS, Answering
from jaxfix.staging.contexts import Staging
from jaxfix.staging.jit import jit_of
from jaxfix.staging.scripts import is_script
from jaxfix.syntax.nodes import walk

_REACHING = short_names(Result.ALL_ARRAYS) | short_names(Effect.SEES_NAMES)
_PLAIN = (ast.Constant, ast.UnaryOp, ast.operator, ast.unaryop, ast.BinOp, ast.Tuple, ast.expr_context, ast.Lambda)
_COMPUTING = where(Takes.ARRAYS) | (where(Takes.ARRAY) - where(Result.SAME_BUFFER))
_CALLING = where(Transform.CALLS_AT_ONCE)
_DELETING = short_names(Effect.DELETES)
_METHODS = short_names(Result.FRESH, "jax.Array")
_STATIC = short_names(Member.STATIC)
_MODULES = frozenset({"sys.modules"}) | where(Result.MODULE)
_READERS = short_names(Effect.CALLS_NOTHING, "builtins")


def may_be_deleted(module: Module, name: str) -> bool:
    """Whether the variable of the module holds a JAX array, and something other than a reader can reach it."""
    return module.get(_deleted)(name)


def may_hold_arrays(value: ast.expr) -> bool:
    """Whether `value` is more than numbers and texts."""
    return not isinstance(value, ast.Lambda) and not all(isinstance(node, _PLAIN) for node in walk(value))


def _deleted(module: Module) -> Solver[str, bool]:
    return Solver(lambda name: _is_deleted(module, name), MAY)


def _is_deleted(module: Module, name: str) -> bool:
    values = list(_values(module, name))
    if not any(map(may_hold_arrays, values)):
        return False
    own, project = module.surroundings.name, module.surroundings.project
    if any(map(module.get(Identifiers).mentions, _REACHING)):
        return True
    if own is not None and is_taken_elsewhere(project, f"{own}.{name}"):
        return True
    if not all(leaves(module, use) for use in module.reads(name, module.tree)):
        return True
    others = {node.id for value in values for node in walk(value) if isinstance(node, ast.Name)} - {name}
    return any(module.get(_deleted)(other) for other in sorted(others) if module.bindings(other))


def is_taken_elsewhere(project: Answering, qualname: str) -> bool:
    """Whether another file passes the array on, or deletes it; of one that is not analysed, whether it names it."""
    if project.ask(USERS, qualname) != () or project.ask(IS_NAMED_AROUND, qualname):
        return True
    return any(project.ask(REBINDS, f"{qualname}.{method}") for method in _DELETING)


def is_read_elsewhere(module: Module, name: str) -> bool:
    """Whether the variable of this file may be read as one of a module: by another file, or by its own."""
    own, project = module.surroundings.name, module.surroundings.project
    names = [*([own] if own is not None else []), *(["__main__"] if is_script(module) else [])]
    imported = module.names.imports.values()
    if any(each in imported or f"{each}.{name}" in imported for each in names) or _finds_modules(module):
        return True
    return any(project.ask(READS_VARIABLE, f"{each}.{name}") for each in names)


def _finds_modules(module: Module) -> bool:
    return module.names.may_name(_MODULES) and any(map(module.references, _MODULES))


def _values(module: Module, name: str) -> Iterator[ast.expr]:
    for binding in module.bindings(name):
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
        if value is not None:
            yield value


def leaves(module: Module, use: ast.expr) -> bool:
    """Whether the code around what may be an array leaves it unchanged, and passes neither it nor its memory on."""
    parent = module.parent(use)
    if isinstance(parent, ast.keyword):
        parent = module.parent(parent)
    match parent:
        case ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.FormattedValue() | ast.Expr() | ast.If() | ast.Assert():
            return True
        case ast.Attribute(ctx=ast.Load(), attr=attr):
            call = module.parent(parent)
            is_called = isinstance(call, ast.Call) and call.func is parent
            return attr in (_METHODS if is_called else _STATIC)
        case ast.Subscript(ctx=ast.Load(), value=value):
            return value is not use or leaves(module, parent)
        case ast.Call(func=func) if func is not use:
            return _callleaves(module, parent, use)
        case ast.IfExp() | ast.Return() | ast.Lambda() | ast.Tuple() | ast.Dict():
            return module.get(Staging).is_only_traced(use)
    return False


def _gives(module: Module) -> Solver[tuple[ast.FunctionDef, str], bool]:
    """Whether a function passes on, or keeps, what it is passed for a parameter."""
    return Solver(lambda passed: not all(leaves(module, read) for read in module.reads(passed[1], passed[0])), MAY)


def _callleaves(module: Module, call: ast.Call, use: ast.expr) -> bool:
    if isinstance(call.func, ast.Name) and module.scope_of(call.func.id, call) is None:
        return call.func.id in _READERS
    function = module.definition(call.func)
    if isinstance(function, ast.FunctionDef):
        jit = jit_of(module, call.func)
        given = arguments_of(function, call) or {}
        taken = [parameter for parameter, argument in given.items() if argument is use]
        is_plain = not function.decorator_list or (jit is not None and jit.donated == ())
        return is_plain and bool(taken) and not any(module.get(_gives)((function, name)) for name in taken)
    qualname = module.qualname(call.func) or ""
    if not qualname.startswith("jax.") or any(keyword.arg == "donate" for keyword in call.keywords):
        return False
    if qualname in _CALLING:
        return False
    is_traced = module.get(Staging).is_only_traced(use)
    return qualname in _COMPUTING or is_traced or leaves(module, call)
