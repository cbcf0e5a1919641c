"""The classes of a file that declare fields: their objects, the parts of these, and copies with changed parts."""

import ast
from functools import cached_property

from jaxfix.library.facets import Class, Result
from jaxfix.library.table import where
from jaxfix.semantic.classes import class_of, methods, own_class
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import FIELDS
from jaxfix.syntax.bindings import Binding

_MODULES = where(Class.MODULE)
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

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(owner.name for owner in self.fields)

    def owner(self, expr: ast.AST) -> ast.ClassDef | None:
        """The class with fields that `expr` names.

        Returns:
          None where it names no such class of this file.
        """
        if not isinstance(expr, ast.Name) or expr.id not in self._names:
            return None
        scope = self._module.scope_of(expr.id, expr)
        match self._module.bindings(expr.id, scope) if scope is not None else ():
            case (Binding(node=ast.ClassDef() as owner),) if owner in self.fields:
                return owner
        return None

    def makes_plain(self, source: ast.AST) -> bool:
        """Whether `source` makes an object of a class of this file that declares no fields: its methods set them."""
        owner = class_of(self._module, source.func) if isinstance(source, ast.Call) else None
        return owner is not None and owner not in self.fields

    def constructions(self, owner: ast.ClassDef) -> tuple[ast.Call, ...]:
        """The calls that make objects of `owner`.

        Returns:
          In the order of the text.
        """
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
        """The fields that a call which makes an object spells out, with what it puts there.

        Returns:
          Empty where it creates none, or hides its arguments in `*` or `**`.
        """
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return ()
        owner = self.owner(call.func)
        named: tuple[tuple[Key, ast.expr], ...] = tuple((k.arg, k.value) for k in call.keywords if k.arg is not None)
        if owner is not None:
            return (*zip(self.fields[owner], call.args, strict=False), *named)
        assigned = self._assigned(call.func)
        if assigned:
            return assigned
        # A class of another module: its capital tells, and its keywords are its fields.
        qualname = self._module.qualname(call.func) or ""
        fields = self.fields_elsewhere(qualname) if call.args else ()
        is_known = len(call.args) <= len(fields)
        return (*zip(fields, call.args, strict=False), *named) if is_known and _is_class(qualname) else ()

    def holds_leaves(self, source: ast.AST) -> bool:
        """Whether the parts of what `source` makes are known to be leaves, and no settings of an object."""
        if not isinstance(source, ast.Call):
            return True
        owner = self.owner(source.func)
        if owner is not None:
            return not self._is_module(owner)
        is_dictionary = isinstance(source.func, ast.Name) and source.func.id == "dict"
        return is_dictionary or bool(self.fields_elsewhere(self._module.qualname(source.func) or ""))

    def fields_elsewhere(self, qualname: str) -> tuple[str, ...]:
        """The fields of a class of another file.

        Returns:
          Empty where nothing is known of it.
        """
        return self._module.surroundings.project.ask(FIELDS, qualname) if _is_class(qualname) else ()

    def _is_module(self, owner: ast.ClassDef) -> bool:
        return any(self._module.qualname(base) in _MODULES for base in owner.bases)

    def _assigned(self, expr: ast.expr) -> tuple[tuple[Key, ast.expr], ...]:
        """What the constructor of a class whose objects never change puts into their fields."""
        owner = class_of(self._module, expr)
        if owner is None or not self._is_module(owner):
            return ()
        return tuple(
            (target.attr, statement.value)
            for function in methods((owner,), "__init__")
            for statement in function.body
            if isinstance(statement, ast.Assign)
            for target in statement.targets
            if isinstance(target, ast.Attribute) and own_class(self._module, target.value) is owner
        )

    def changed(self, call: ast.Call) -> ast.expr | None:
        """What `x._replace(...)` or `dataclasses.replace(x, ...)` changes.

        Returns:
          None for any other call.
        """
        match call:
            case ast.Call(func=ast.Attribute(value=value, attr="_replace"), args=[]):
                return value
            case ast.Call(func=ast.Attribute(value=value, attr="replace"), args=[], keywords=[_, *_]):
                return value  # of flax, chex and others; the method of a string takes no keywords alone
            case ast.Call(args=[value]) if self._module.qualname(call.func) in _REPLACING:
                return value
        return None


def _is_class(qualname: str) -> bool:
    return qualname.rpartition(".")[2][:1].isupper()
