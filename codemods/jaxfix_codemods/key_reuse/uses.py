"""Where a random key is used up: by a function that draws from it or splits it, or by one of the file that does."""

import ast
from collections.abc import Iterator

from jaxfix.api import Function, Module, arguments_of, direct_calls, frozen
from jaxfix.api.analysis import EXISTS, Solver, always_runs, parameters_of
from jaxfix.api.library import Draw, Takes, Transform, where

DRAWING = where(Draw.OF_BITS) | where(Draw.OF_PARTS)
SPLITTING = where(Draw.KEYS)
USING = tuple(sorted(DRAWING | SPLITTING))
_MAPPING = tuple(sorted(where(Transform.MAPS_LEAVES)))
_CHOOSING = where(Takes.LENGTH)
_KEY = "key"


Place = tuple[ast.Name, str]
"""A variable, and the index of the element of it, if it is one."""


@frozen
class Use:
    """A call that uses a key up.

    Attributes:
      variable: what holds the key.
      element: the index in it, such as `[0]`; empty for the variable itself.
      by: the canonical name of a jax function, or the text that names a function of the file.
      function: that function of the file, if it is one.
    """

    at: ast.Call
    variable: ast.Name
    element: str
    by: str
    function: Function | None = None

    @property
    def key(self) -> str:
        """As it is written."""
        return f"{self.variable.id}{self.element}"


Taking = tuple[Function, str]
"""A function, and a parameter of it."""


def uses(module: Module) -> tuple[Use, ...]:
    """The uses of keys that are variables, or elements of one at places that are written out."""
    direct = tuple(_direct(module))
    return (*direct, *_by_functions(module, direct)) if direct else ()


def _direct(module: Module) -> Iterator[Use]:
    for call in module.calls(*USING):
        key = _first(call)
        name = module.qualname(call.func)
        if name is not None and (place := _place(key)) is not None:
            yield Use(call, *place, name)


def _first(call: ast.Call) -> ast.expr | None:
    if call.args:
        return call.args[0]
    return next((keyword.value for keyword in call.keywords if keyword.arg == _KEY), None)


def _place(key: ast.expr | None) -> Place | None:
    match key:
        case ast.Name():
            return key, ""
        case ast.Subscript(value=ast.Name() as name, slice=ast.Constant(value=int() as index)):
            return name, f"[{index}]"
        case ast.Subscript(
            value=ast.Name() as name, slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as index))
        ):
            return name, f"[-{index}]"
    return None


class _Keys:
    """Which parameters functions of the file use up, whatever they are passed."""

    def __init__(self, module: Module, direct: tuple[Use, ...]) -> None:
        self._module = module
        self._by_function: dict[Function | None, list[Use]] = {}
        for use in direct:
            self._by_function.setdefault(module.function(use.at), []).append(use)
        self.takes: Solver[Taking, bool] = Solver(self._takes, EXISTS)

    def _takes(self, taking: Taking) -> bool:
        function, name = taking
        own = (use.variable for use in self._by_function.get(function, ()) if not use.element)
        if any(variable.id == name and self._is_first(function, variable) for variable in own):
            return True
        return any(self.takes(found) for found in self._handed_on(function, name))

    def _handed_on(self, function: Function, name: str) -> Iterator[Taking]:
        """The functions of the file that take the parameter in turn."""
        for read in self._module.reads(name, function):
            call = self._module.parent(read)
            if not isinstance(call, ast.Call) or not self._is_first(function, read):
                continue
            called = self._module.definition(call.func)
            passed = (arguments_of(called, call) or {}) if called is not None else {}
            yield from ((called, taken) for taken, value in passed.items() if called is not None and value is read)

    def _is_first(self, function: Function, read: ast.Name) -> bool:
        """Whether each call comes to `read`, and finds there what it was passed."""
        module = self._module
        if module.function(read) is not function or not always_runs(module, read, function):
            return False
        others = [each.node for each in module.bindings(read.id, function) if not isinstance(each.node, ast.arg)]
        return all(module.statement(node).lineno >= module.statement(read).lineno for node in others)


def _by_functions(module: Module, direct: tuple[Use, ...]) -> Iterator[Use]:
    """Calls of functions of the file that use up the key which they are passed."""
    keys = _Keys(module, direct)
    for function in module.functions:
        calls = direct_calls(module, function)
        taken = [arg.arg for arg in parameters_of(function.args) if calls and keys.takes((function, arg.arg))]
        for call in calls if taken else ():
            passed = arguments_of(function, call) or {}
            for key in (passed.get(name) for name in taken):
                if (place := _place(key)) is not None:
                    yield Use(call, *place, ast.unparse(call.func), function)


def leaves_of(module: Module, use: Use) -> ast.Call | None:
    """The call that has a function run for each leaf of a tree, which uses up a key of around it each time."""
    function = module.function(use.at)
    if use.function is not None or use.by in _CHOOSING or function is None or not always_runs(module, use.at, function):
        return None
    scope = module.scope_of(use.variable.id, use.variable)
    if scope is None or scope is function or function in module.ancestors(scope):
        return None
    for call in module.calls(*_MAPPING):
        if call.args and module.definition(call.args[0]) is function:
            return call
    return None
