"""The classes of a file that declare fields: their objects, the parts of these, and copies with changed parts."""

import ast
from functools import cached_property

from jaxfix.library.facets import Result
from jaxfix.library.table import where
from jaxfix.semantic.module import Module
from jaxfix.syntax.bindings import Binding

_REPLACING = where(Result.REPLACED)
Key = str | int
"""A field, a key or a position in a state."""


class Records:
    """Answers for one module."""

    def __init__(self, module: Module) -> None:
        self._module = module

    @cached_property
    def fields(self) -> dict[ast.ClassDef, tuple[str, ...]]:
        """The classes of the module that declare fields and do not write their own constructor."""
        found = {}
        for node in self._module.nodes(ast.ClassDef):
            declared = [s.target for s in node.body if isinstance(s, ast.AnnAssign)]
            names = [target.id for target in declared if isinstance(target, ast.Name)]
            own = any(isinstance(s, ast.FunctionDef) and s.name in ("__init__", "__new__") for s in node.body)
            if names and not own:
                found[node] = tuple(names)
        return found

    def owner(self, expr: ast.AST) -> ast.ClassDef | None:
        """The class that `expr` names."""
        if not isinstance(expr, ast.Name):
            return None
        scope = self._module.scope_of(expr.id, expr)
        match self._module.bindings(expr.id, scope) if scope is not None else ():
            case (Binding(node=ast.ClassDef() as owner),) if owner in self.fields:
                return owner
        return None

    def constructions(self, owner: ast.ClassDef) -> tuple[ast.Call, ...]:
        """The calls that make objects of `owner`."""
        return tuple(self._constructions.get(owner, ()))

    @cached_property
    def _constructions(self) -> dict[ast.ClassDef, list[ast.Call]]:
        found: dict[ast.ClassDef, list[ast.Call]] = {}
        for call in self._module.spelled_calls({owner.name for owner in self.fields}):
            owner = self.owner(call.func)
            if owner is not None:
                found.setdefault(owner, []).append(call)
        return found

    def parts(self, call: ast.Call) -> tuple[tuple[Key, ast.expr], ...]:
        """The fields that a call which makes an object spells out, with what it puts there."""
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return ()
        owner = self.owner(call.func)
        named: tuple[tuple[Key, ast.expr], ...] = tuple((k.arg, k.value) for k in call.keywords if k.arg is not None)
        if owner is not None:
            return (*zip(self.fields[owner], call.args, strict=False), *named)
        # A class of another module: its capital tells, and its keywords are its fields.
        last = (self._module.qualname(call.func) or "").rpartition(".")[2]
        return named if last[:1].isupper() and not call.args else ()

    def changed(self, call: ast.Call) -> ast.expr | None:
        """What `x._replace(...)` or `dataclasses.replace(x, ...)` changes."""
        match call:
            case ast.Call(func=ast.Attribute(value=value, attr="_replace"), args=[]):
                return value
            case ast.Call(func=ast.Attribute(value=value, attr="replace"), args=[], keywords=[_, *_]):
                return value  # of flax, chex and others; the method of a string takes no keywords alone
            case ast.Call(args=[value]) if self._module.qualname(call.func) in _REPLACING:
                return value
        return None
