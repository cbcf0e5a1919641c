"""The inputs and results of the functions of a loop or branch that JAX traces.

The tables say what JAX 0.4.30 to 0.12 does with weak types; they were measured, not read.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cached_property

from jaxfix.dataflow.solver import Lattice, Solver, optional
from jaxfix.library.table import CONTROL_FLOW
from jaxfix.semantic.calls import calls_of_calls, returned
from jaxfix.semantic.module import Module
from jaxfix.semantic.records import Key
from jaxfix.source.frozen import frozen
from jaxfix.staging.control_flow_calls import function_arguments, older_cond
from jaxfix.staging.jit import transform_of
from jaxfix.syntax.nodes import FUNCTIONS, Function
from jaxfix.syntax.signatures import positional_of

Place = tuple[ast.expr, tuple[Key, ...]]
"""A part of the value of an expression."""
_CARRY = {name: row.carry for name, row in CONTROL_FLOW.items() if row.carry}
_OPERANDS = {name: row.operands.position for name, row in CONTROL_FLOW.items() if row.operands}


@frozen
class Flow:
    """What a loop or a branch passes on.

    Attributes:
      first: what it is at first in a loop, or through the branch whose types the result has.
      again: what an iteration of the loop makes of it, or the other branches.
      loops: whether `first` takes the type of `again` where it is weak.
    """

    first: tuple[Place, ...]
    again: tuple[Place, ...]
    loops: bool


class Carried(ast.AST):
    """The part at `path` of the carry of the loop or branch `call`: an array, also where a number is passed in."""

    _fields = ()

    def __init__(self, call: ast.Call, flow: Flow, path: tuple[Key, ...] = ()) -> None:
        super().__init__()
        self.call, self.flow, self.path = call, flow, path


@frozen
class _Handed:
    """A function as control flow takes it: `functools.partial` may have bound some of its parameters."""

    function: Function
    name: str
    positional: tuple[ast.expr, ...] = ()
    named: tuple[ast.keyword, ...] = ()


_HANDED: Lattice[_Handed | None] = optional()


class Carrying:
    """Answers for one module. Never raises.

    Args:
      origins: what the name of a function may stand for, where it is bound to more than a `def`.
    """

    def __init__(self, module: Module, origins: Callable[[ast.AST], tuple[ast.AST, ...]]) -> None:
        self._module, self._origins = module, origins
        self._resolve: Solver[tuple[ast.AST, str], _Handed | None] = Solver(self._resolved, _HANDED)
        self._results: dict[ast.Call, Flow | None] = {}
        self._taken: dict[ast.arg, tuple[list[Carried | ast.expr], bool]] = {}

    def result(self, call: ast.Call) -> Flow | None:
        """What `call` returns; None if it is not a loop or branch whose functions can be read."""
        if transform_of(self._module, call.func) not in _CARRY.keys() | _OPERANDS.keys():
            return None
        if call not in self._results:
            self._results[call] = self._result(call)
        return self._results[call]

    def taken(self, parameter: ast.arg) -> tuple[list[Carried | ast.expr], bool]:
        """What control flow passes for a parameter of a function that it takes, and whether all of that is known."""
        if parameter not in self._taken:
            self._taken[parameter] = self._take(parameter)
        return self._taken[parameter]

    def _take(self, parameter: ast.arg) -> tuple[list[Carried | ast.expr], bool]:
        arguments = self._module.parent(parameter)
        function = self._module.parent(arguments) if arguments is not None else None
        if not isinstance(function, FUNCTIONS):
            return [], True
        found = [self._passed(call, handed, parameter) for call, handed in self._takers.get(function, ())]
        return [entry for entry in found if entry is not None], None not in found

    # --- results ----------------------------------------------------------------------------------------------

    def _result(self, call: ast.Call) -> Flow | None:
        handed = self._handed(call)
        if self._primitive(call) in _CARRY:
            body = handed[-1] if handed else None
            return Flow(tuple(_results(body)), (), loops=False) if body is not None else None
        known = [entry for entry in handed if entry is not None]
        if not known or len(known) < len(handed):
            return None
        # Measured: the result of `cond` is as weak as its false branch, that of `switch` as its first one.
        ordered = sorted(known, key=lambda entry: entry.name == "true_fun")
        rest = tuple(place for entry in ordered[1:] for place in _results(entry))
        return Flow(tuple(_results(ordered[0])), rest, loops=False)

    def _primitive(self, call: ast.Call) -> str:
        return transform_of(self._module, call.func) or ""

    # --- parameters -------------------------------------------------------------------------------------------

    @cached_property
    def _takers(self) -> dict[Function, list[tuple[ast.Call, _Handed]]]:
        found: dict[Function, list[tuple[ast.Call, _Handed]]] = {}
        for call in self._control_flow():
            for handed in self._handed(call):
                if handed is not None:
                    found.setdefault(handed.function, []).append((call, handed))
        return found

    def _control_flow(self) -> Iterator[ast.Call]:
        yield from self._module.calls(*CONTROL_FLOW)
        yield from (call for call in calls_of_calls(self._module) if self._primitive(call) in CONTROL_FLOW)

    def _passed(self, call: ast.Call, handed: _Handed, parameter: ast.arg) -> Carried | ast.expr | None:
        arguments = handed.function.args
        for keyword in handed.named:
            if keyword.arg == parameter.arg:
                return keyword.value
        positional = positional_of(arguments)
        if parameter not in positional:
            return None
        index = positional.index(parameter)
        if index < len(handed.positional):
            return handed.positional[index]
        flow = self._flow_into(call, handed, index - len(handed.positional))
        return None if flow is None else Carried(call, flow)

    def _flow_into(self, call: ast.Call, handed: _Handed, index: int) -> Flow | None:
        primitive = self._primitive(call)
        if primitive in _CARRY:
            carried = _CARRY[primitive]
            init = _argument(call, carried.initial.position, carried.initial.name)
            body = self._handed(call)[-1]
            if init is None or body is None or index != (0 if handed.name == "cond_fun" else carried.index):
                return None
            carry: tuple[Key, ...] = (0,) if primitive == "jax.lax.scan" else ()
            return Flow(((init, ()),), tuple(_results(body, carry)), loops=True)
        operand = self._operand(call, handed, primitive, index)
        return None if operand is None else Flow(((operand, ()),), (), loops=False)

    def _operand(self, call: ast.Call, handed: _Handed, primitive: str, index: int) -> ast.expr | None:
        if primitive not in _OPERANDS or any(isinstance(argument, ast.Starred) for argument in call.args):
            return None
        if (older := older_cond(self._module, call)) is not None:
            operand = older.true_operand if handed.name == "true_fun" else older.false_operand
            return operand if index == 0 else None
        operands = call.args[_OPERANDS[primitive] :]
        if index < len(operands):
            return operands[index]
        return _argument(call, len(call.args), "operand") if index == 0 else None

    # --- functions --------------------------------------------------------------------------------------------

    def _handed(self, call: ast.Call) -> tuple[_Handed | None, ...]:
        """The functions that `call` takes; None for one that cannot be read."""
        found: list[_Handed | None] = []
        for argument, name in function_arguments(self._module, call):
            several = isinstance(argument, ast.List | ast.Tuple) and name == "branches"
            for expr in argument.elts if several and isinstance(argument, ast.List | ast.Tuple) else (argument,):
                found.append(self._resolve((expr, name)))
        return tuple(found)

    def _resolved(self, handed: tuple[ast.AST, str]) -> _Handed | None:
        expr, name = handed
        function = expr if isinstance(expr, FUNCTIONS) else self._module.definition(expr)
        if function is not None:
            is_plain = isinstance(function, ast.Lambda) or (
                isinstance(function, ast.FunctionDef) and not function.decorator_list
            )
            return _Handed(function, name) if is_plain and returned(function) else None
        match expr:
            case ast.Call(func=func, args=[inner, *bound], keywords=named):
                return self._bound(func, self._resolve((inner, name)), bound, named)
            case ast.Name() | ast.Attribute():
                sources = self._origins(expr)
                if len(sources) == 1 and sources[0] is not expr:
                    return self._resolve((sources[0], name))
        return None

    def _bound(
        self, func: ast.expr, inner: _Handed | None, bound: list[ast.expr], named: list[ast.keyword]
    ) -> _Handed | None:
        if inner is None or self._module.qualname(func) != "functools.partial":
            return None
        if any(isinstance(entry, ast.Starred) for entry in bound) or any(keyword.arg is None for keyword in named):
            return None
        return _Handed(inner.function, inner.name, (*inner.positional, *bound), (*inner.named, *named))


def _results(handed: _Handed, path: tuple[Key, ...] = ()) -> Iterator[Place]:
    for expr in returned(handed.function):
        yield expr, path


def _argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    named = [keyword.value for keyword in call.keywords if keyword.arg == name]
    if named or any(isinstance(argument, ast.Starred) for argument in call.args[: position + 1]):
        return named[0] if named else None
    return call.args[position] if position < len(call.args) else None
