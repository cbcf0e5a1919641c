"""Whether a file brings objects into a program that JAX takes for trees, and that hold more than leaves."""

import ast
from collections.abc import Container, Iterator
from sys import stdlib_module_names

from jaxfix.dataflow.solver import MAY, Solver
from jaxfix.effects.pytree_keys import odd_keys
from jaxfix.library.facets import Class, Package, Result
from jaxfix.library.table import short_names, where
from jaxfix.semantic.classes import class_of
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import stored_attributes
from jaxfix.semantic.project.query import HIDES, IS_READ
from jaxfix.syntax.nodes import FUNCTIONS

_HIDING = where(Class.HIDES)
_OF_JAX = short_names(Class.HIDES, "jax", "jax.tree_util")
"""Spelled in whatever way, such as in a `getattr`."""
_WORDS = _OF_JAX | short_names(Class.HIDES)
_IMMUTABLE = short_names(Result.IMMUTABLE, "builtins")
_TUPLES = where(Class.TUPLE)
LEAVES_ONLY = stdlib_module_names | where(Package.LEAVES_ONLY)
"""Packages whose objects are trees of leaves, or none."""


def are_leaves_only(module: Module) -> bool:
    """Whether no object of the program that was read is a tree with other parts than leaves."""
    project = module.surroundings.project
    if project.ask(IS_READ, ""):
        return not project.ask(HIDES, "")
    return next(hiding(module, ()), None) is None and not project.ask(HIDES, "")


def hiding(module: Module, packages: Container[str]) -> Iterator[str]:
    """What in a file makes trees that may hold more than leaves, or takes them from where nobody has read.

    Args:
      packages: the first parts of the names of the project's files, each of which is asked for by itself.
    """
    yield from (package for package in _imported(module) if package not in LEAVES_ONLY and package not in packages)
    mentioned = module.get(Identifiers).among(_WORDS)
    yield from sorted(mentioned & _OF_JAX)
    for name in sorted(_HIDING) if mentioned else ():
        if name.rpartition(".")[2] in mentioned and (module.references(name) or module.imports_of(name)):
            yield name
    for owner in module.nodes(ast.ClassDef):
        has_methods = any(isinstance(member, FUNCTIONS) for member in owner.body)
        if (has_methods and module.get(_tuples)(owner)) or _is_key(module, owner):
            yield owner.name
    for stored in stored_attributes(module):
        if isinstance(stored.ctx, ast.Store) and _is_special(stored.attr):
            yield module.text(stored)  # an operator that a class is given from outside
    yield from odd_keys(module)
    for call in module.spelled_calls({"getattr"}):
        if call.args and (module.qualname(call.args[0]) or "").startswith("jax") and not _is_named(call):
            yield module.text(call)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _imported(module: Module) -> Iterator[str]:
    """The packages that it imports from, except the generated helpers; `.` where it is one beside it."""
    for node in module.nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield module.names.absolute("." * node.level + (node.module or "")).partition(".")[0]


def _tuples(module: Module) -> Solver[ast.ClassDef, bool]:
    """Whether objects of a class may be named tuples, which are trees: their methods are the program's own."""
    return Solver(lambda owner: _is_tuple(module, owner), MAY)


def _is_tuple(module: Module, owner: ast.ClassDef) -> bool:
    for base in owner.bases:
        named = base.func if isinstance(base, ast.Call) else base
        above = class_of(module, named)
        qualname = module.qualname(named)
        if above is None and qualname is None and isinstance(named, ast.Name) and module.bindings(named.id):
            return True
        if above is not None and module.get(_tuples)(above):
            return True
        if isinstance(base, ast.Call) or qualname in _TUPLES:
            return True
        if qualname is not None and qualname.partition(".")[0] not in LEAVES_ONLY and not _has_own_start(owner):
            return True
    return False


def _is_key(module: Module, owner: ast.ClassDef) -> bool:
    """Whether its objects are texts or numbers, equal to others, with more to them."""
    names = {base.id for base in owner.bases if isinstance(base, ast.Name) and module.scope_of(base.id, base) is None}
    return not names.isdisjoint(_IMMUTABLE) and len(owner.bases) == 1


def _is_named(call: ast.Call) -> bool:
    """Whether the attribute that `getattr` reads is in the text."""
    return len(call.args) > 1 and isinstance(call.args[1], ast.Constant)


def _has_own_start(owner: ast.ClassDef) -> bool:
    return any(isinstance(member, ast.FunctionDef) and member.name == "__init__" for member in owner.body)
