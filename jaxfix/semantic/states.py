"""States that functions make, take and return: which kind each is, as far as fields and keys tell."""

import ast
from collections import Counter
from functools import cached_property

from jaxfix.semantic.module import Module
from jaxfix.semantic.records import Records
from jaxfix.syntax.signatures import parameters_of

State = ast.ClassDef | str | frozenset[str]
"""A class of this file, the dotted name of one elsewhere, or the keys of a dictionary."""
Taken = tuple[tuple[ast.arg, frozenset[State]], ...]
"""The parameters that take a state, each with those that it may be."""
_CHANGING = frozenset({"_replace", "replace"})
_OBJECTS = ("self", "cls")
_FEWEST_KEYS = 2
"""Of a dictionary that counts as a state."""


class States:
    """Answers for one module."""

    def __init__(self, module: Module) -> None:
        self._module, self._records = module, module.get(Records)

    def makers(self) -> dict[ast.FunctionDef, frozenset[State]]:
        """The functions that return a state, or a tuple with one, in the order of the text."""
        found: dict[ast.FunctionDef, set[State]] = {}
        for function, made in self._returned:
            found.setdefault(function, set()).update(self._states_of(made), self._changed_by(made))
        return {function: frozenset(states) for function, states in found.items() if states}

    def taken(self, function: ast.FunctionDef) -> Taken:
        """The parameters of a function that take a state."""
        parameters = [(each, self._taken_by(function, each)) for each in parameters_of(function.args)]
        return tuple((parameter, states) for parameter, states in parameters if states)

    # --- what is made -----------------------------------------------------------------------------------------

    @cached_property
    def _returned(self) -> tuple[tuple[ast.FunctionDef, ast.Call | ast.Dict], ...]:
        """What functions return, or a part of the tuples that they return: as it stands, or bound to a name once."""
        found: list[tuple[ast.FunctionDef, ast.Call | ast.Dict]] = []
        for node in self._module.nodes(ast.Return):
            for part in node.value.elts if type(node.value) is ast.Tuple else (node.value,):
                made = self._module.only_value(part) if part.__class__ is ast.Name and part is not None else part
                if type(made) is ast.Call or type(made) is ast.Dict:
                    function = self._module.function(node)
                    found += [(function, made)] if isinstance(function, ast.FunctionDef) else []
        return tuple(found)

    @cached_property
    def _made_again(self) -> frozenset[str]:
        """The dotted names of what more than one function may return: of others the fields do not matter."""
        calls = {(f, self._module.qualname(made.func)) for f, made in self._returned if isinstance(made, ast.Call)}
        times = Counter(name for _, name in calls if name is not None)
        if any(self._changed(made) is not None for _, made in self._returned):
            return frozenset(times)
        return frozenset(name for name, count in times.items() if count > 1 and self._may_be_handed_on(name))

    def _may_be_handed_on(self, name: str) -> bool:
        """Whether a function that returns such an object may take one, or returns something else beside it."""
        makers = {function: names for function, names in self._names.items() if name in names}
        return any(names != {name} for names in makers.values()) or any(
            self._may_take(function, parameter, name)
            for function in makers
            for parameter in parameters_of(function.args)
        )

    @cached_property
    def _names(self) -> dict[ast.FunctionDef, set[str | None]]:
        """By function, the dotted names of its results; None among them for a result without a name."""
        found: dict[ast.FunctionDef, set[str | None]] = {}
        for function, made in self._returned:
            qualname = self._module.qualname(made.func) if isinstance(made, ast.Call) else None
            found.setdefault(function, set()).add(qualname)
        return found

    def _may_take(self, function: ast.FunctionDef, parameter: ast.arg, name: str) -> bool:
        if parameter.annotation is not None:
            return self._module.qualname(parameter.annotation) == name
        return parameter.arg not in _OBJECTS and bool(self._read(function, parameter)[0])

    @cached_property
    def _fields(self) -> dict[State, frozenset[str]]:
        """Those of every state that some function returns."""
        return {state: fields for _, made in self._returned for state, fields in self._states_of(made).items()}

    def _states_of(self, made: ast.Call | ast.Dict) -> dict[State, frozenset[str]]:
        if isinstance(made, ast.Call):
            return self._class(made.func)
        keys = frozenset(key.value for key in made.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
        return {keys: keys} if len(keys) == len(made.keys) >= _FEWEST_KEYS else {}

    def _changed_by(self, made: ast.Call | ast.Dict) -> frozenset[State]:
        """The parameter that `made` copies with some parts replaced."""
        changed = self._changed(made)
        scope = self._module.scope_of(changed.id, changed) if isinstance(changed, ast.Name) else None
        if not isinstance(changed, ast.Name) or not isinstance(scope, ast.FunctionDef):
            return frozenset()
        parameters = [b.node for b in self._module.bindings(changed.id, scope) if isinstance(b.node, ast.arg)]
        return frozenset(state for each in parameters for state in self._taken_by(scope, each))

    def _changed(self, made: ast.Call | ast.Dict) -> ast.expr | None:
        if isinstance(made, ast.Call):
            return self._records.changed(made)
        return next((value for key, value in zip(made.keys, made.values, strict=True) if key is None), None)

    def _class(self, expr: ast.expr) -> dict[State, frozenset[str]]:
        owner = self._records.owner(expr)
        if owner is not None:
            return {owner: frozenset(self._records.fields[owner])}
        qualname = self._module.qualname(expr)
        if qualname is None or qualname not in self._made_again:
            return {}
        fields = self._records.fields_elsewhere(qualname)
        return {qualname: frozenset(fields)} if fields else {}

    # --- what is taken ----------------------------------------------------------------------------------------

    def _taken_by(self, function: ast.FunctionDef, parameter: ast.arg) -> frozenset[State]:
        if parameter.annotation is not None:
            return frozenset(self._class(parameter.annotation))
        if parameter.arg in _OBJECTS:
            return frozenset()
        fields, keys = self._read(function, parameter)
        read = fields | keys
        return frozenset(
            state
            for state, own in self._fields.items()
            if read and read <= own and not (keys if not isinstance(state, frozenset) else fields)
        )

    def _read(self, function: ast.FunctionDef, parameter: ast.arg) -> tuple[frozenset[str], frozenset[str]]:
        """The fields and the keys that are read of it."""
        fields: set[str] = set()
        keys: set[str] = set()
        for use in self._module.reads(parameter.arg, function):
            match self._module.parent(use):
                case ast.Attribute(attr=name, ctx=ast.Load()):
                    fields |= {name} - _CHANGING
                case ast.Subscript(slice=ast.Constant(value=str(name)), value=value) if value is use:
                    keys.add(name)
        return frozenset(fields), frozenset(keys)
