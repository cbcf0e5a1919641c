"""Python numbers: which expressions are some, and which of them change between iterations."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import IntEnum
from functools import reduce

from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.library.facets import Result, Scalar
from jaxfix.library.table import short_names
from jaxfix.semantic.dominance import always_runs
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.staging.jit import jitted_of
from jaxfix.syntax.nodes import Function, walk

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FEW = 3
"""The most remainders: each is a program."""
_CONVERSIONS = short_names(Result.NUMBER, "builtins")
_NUMBERS = short_names(Scalar.INT, "builtins") | short_names(Scalar.FLOAT, "builtins")


@frozen
class Number:
    """A Python number.

    Attributes:
      changes: whether it differs in each iteration of a loop around it.
      surely: whether nothing says that it does so at times only.
      by: the variable that changes, if one does.
    """

    changes: bool = False
    surely: bool = True
    by: ast.Name | None = None


def number(module: Module, expr: ast.expr, at: ast.AST) -> Number | None:
    """The kind of Python number that `expr` is where `at` runs.

    Returns:
      None if it may be something else, or that cannot be determined.
    """
    return module.get(_Numbers).of(expr, at)


def calls_in_loops(module: Module) -> list[ast.Call]:
    """The calls in which a number can be another one in each iteration of a loop around them.

    Returns:
      In the order of the text.
    """
    loops, around = frozenset(module.nodes(*_LOOPS)), module.index.around
    if not loops:
        return []
    known: dict[ast.AST | None, bool] = {
        None: False,
        **dict.fromkeys((*loops, *(around[loop] for loop in loops)), True),
    }
    for call in module.nodes(ast.Call):
        if around[call] not in known:
            _may_be_in_loop(around[call], around, known)
    parents, found = module.index.parents, []
    for call in [call for call in module.nodes(ast.Call) if known[around[call]]]:
        outer = parents[call]
        while outer not in loops and outer is not module.tree:
            outer = parents[outer]
        if outer in loops:
            found.append(call)
    return found


def _may_be_in_loop(
    scope: ast.AST | None, around: Mapping[ast.AST, ast.AST | None], known: dict[ast.AST | None, bool]
) -> bool:
    """Whether a loop is in `scope`, or in a scope around it; `known` of some."""
    try:
        return known[scope]
    except KeyError:
        assert scope is not None
        found = known[scope] = _may_be_in_loop(around[scope], around, known)
        return found


def is_small(expr: ast.expr) -> bool:
    """Whether no part of a number says that it leaves 32 bits."""
    for node in walk(expr):
        match node:
            case ast.Constant(value=int() as value) if abs(value) >= 1 << 31:
                return False
            case ast.BinOp(left=ast.Constant(value=int()), op=ast.Pow() | ast.LShift()):
                return False
    return True


class _Is(IntEnum):
    """What is known of an expression: NOTHING where all that is known refers back to it, as in `x = x + 1` alone."""

    NOTHING = 0
    NUMBER = 1
    OTHER = 2


_IS = Lattice(_Is.NOTHING, max, _Is.OTHER)


class _Numbers:
    """Answers for one module: first what is a number at all, then which of the numbers change."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._is: Solver[ast.expr, _Is] = Solver(self._sort, _IS)
        self._change: Solver[tuple[ast.expr, ast.AST], Number] = Solver(self._changes, _CHANGES)

    def of(self, expr: ast.expr, at: ast.AST) -> Number | None:
        return self._change((expr, at)) if self._is(expr) is _Is.NUMBER else None

    def _sort(self, expr: ast.expr) -> _Is:
        match expr:
            case ast.Constant(value=value):
                return _Is.NUMBER if isinstance(value, int | float) and not isinstance(value, bool) else _Is.OTHER
            case ast.Name(id=name):
                scope = self._module.scope_of(name, expr)
                found = self._module.bindings(name, scope) if scope is not None else ()
                return max((self._bound(binding.node) for binding in found), default=_Is.OTHER)
            case ast.Subscript():
                values = [_entry(self._module, expr), *(_stored(self._module, s) for s in _stores(self._module, expr))]
                return max(_Is.OTHER if each is None else self._is(each) for each in values)
        parts = {self._is(operand) for operand in _operands(self._module, expr)}
        return _Is.OTHER if _Is.OTHER in parts else min(parts, default=_Is.OTHER)

    def _bound(self, node: ast.AST) -> _Is:
        """The values of a binding's variable: none where it is computed from the others."""
        if type(node) is ast.arg:
            return _Is.NUMBER if _is_annotated(node) else _Is.OTHER
        if type(node) is not ast.Name:
            return _Is.OTHER
        value = self._module.value_of(node)
        if value is not None:
            return self._is(value)
        match self._module.parent(node):
            case ast.AugAssign(op=op, value=by) if isinstance(op, _ARITHMETIC):
                return _Is.OTHER if self._is(by) is _Is.OTHER else _Is.NOTHING
            case ast.Tuple(elts=targets) as pattern:
                match self._module.parent(pattern):
                    case ast.Assign(targets=[only], value=ast.Tuple(elts=values)) if only is pattern:
                        return self._is(values[targets.index(node)]) if len(values) == len(targets) else _Is.OTHER
        if is_counter(self._module, node):
            return _Is.NUMBER
        return _Is.NOTHING if comes_back(self._module, node) is not None else _Is.OTHER

    def _changes(self, asked: tuple[ast.expr, ast.AST]) -> Number:
        """As `of`, for a number."""
        expr, at = asked
        if isinstance(expr, ast.Name):
            return self._variable(expr, at)
        match expr:
            case ast.Subscript():
                return self._entry(expr, at)
            case ast.BinOp(op=ast.Mod(), right=ast.Constant(value=int() as number)) if number <= _FEW:
                return Number()
        found = reduce(_either, (self._change((part, at)) for part in _operands(self._module, expr)), Number())
        return replace(found, surely=found.surely and not _is_rough(expr))

    def _variable(self, name: ast.Name, at: ast.AST) -> Number:
        module = self._module
        around: list[ast.AST] = [loop for loop in module.ancestors(at) if isinstance(loop, _LOOPS)]
        bound = (binding.node for binding in module.bindings(name.id, module.scope_of(name.id, name)))
        stores = [node for node in bound if isinstance(node, ast.Name) and _is_in_any(module, node, around)]
        value = module.only_value(name)
        if value is not None:
            return self._change((value, at)) if stores else Number()
        surely = any(_is_sure(module, node, around) for node in stores)
        return Number(bool(stores), surely or not stores, stores[0] if stores else None)

    def _entry(self, expr: ast.Subscript, at: ast.AST) -> Number:
        around: list[ast.AST] = [loop for loop in self._module.ancestors(at) if isinstance(loop, _LOOPS)]
        stores = [s for s in _stores(self._module, expr) if _is_in_any(self._module, s, around)]
        return Number(bool(stores), not stores or any(_is_sure(self._module, store, around) for store in stores))


def _entry(module: Module, expr: ast.Subscript) -> ast.expr | None:
    """What `stats["step"]` is at first, where `stats` is bound once, to a dictionary that spells it out."""
    match module.only_value(expr.value), expr.slice:
        case ast.Dict(keys=keys, values=values), ast.Constant(value=str(name)) if None not in keys:
            found = [v for k, v in zip(keys, values, strict=True) if isinstance(k, ast.Constant) and k.value == name]
            return found[0] if len(found) == 1 else None
    return None


def _stores(module: Module, expr: ast.Subscript) -> tuple[ast.Subscript, ...]:
    """The places that put something else there."""
    match expr:
        case ast.Subscript(value=ast.Name(id=name) as holder, slice=ast.Constant(value=key)):
            reads = module.uses(name, module.scope_of(name, holder))
            entries = [module.parent(read) for read in reads]
            return tuple(
                entry
                for entry in entries
                if isinstance(entry, ast.Subscript)
                and isinstance(entry.ctx, ast.Store)
                and not (isinstance(entry.slice, ast.Constant) and entry.slice.value != key)
            )
    return ()


def _stored(module: Module, store: ast.Subscript) -> ast.expr | None:
    """The stored value, or its increment."""
    match module.parent(store):
        case ast.AugAssign(op=op, value=value) if isinstance(op, _ARITHMETIC):
            return value
        case ast.Assign(targets=[only], value=value) if only is store:
            return value
    return None


def _either(one: Number, other: Number) -> Number:
    """What changes if one of two does, and surely if one does surely; by what comes first in the text."""
    changing = [number for number in (one, other) if number.changes]
    by = min((number.by for number in changing if number.by is not None), key=_position, default=None)
    return Number(bool(changing), not changing or any(number.surely for number in changing), by)


_CHANGES = Lattice(Number(), _either, Number(changes=True, surely=False))


def _position(name: ast.Name) -> tuple[int, int]:
    return name.lineno, name.col_offset


def _operands(module: Module, expr: ast.expr) -> tuple[ast.expr, ...]:
    """What `expr` is a number of if they are numbers; empty where it computes nothing of the kind."""
    match expr:
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return (operand,)
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
            return left, right
        case ast.Call(func=ast.Name(id=name), args=[only], keywords=[]) if name in _CONVERSIONS:
            return (only,) if module.scope_of(name, expr) is None else ()
        case ast.Call(func=func, args=[only], keywords=[]) if (module.qualname(func) or "").startswith("math."):
            return (only,)
    return ()


def _is_rough(expr: ast.expr) -> bool:
    """Whether it can be the same for several iterations, though what it is computed of is not."""
    match expr:
        case ast.BinOp(op=ast.FloorDiv() | ast.Mod()):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _CONVERSIONS and name != "float"
    return False


def _is_annotated(node: ast.arg) -> bool:
    return isinstance(node.annotation, ast.Name) and node.annotation.id in _NUMBERS


def _is_in_any(module: Module, node: ast.AST, loops: list[ast.AST]) -> bool:
    return any(loop in module.ancestors(node) or node in _targets(loop) for loop in loops)


def is_counter(module: Module, target: ast.Name) -> bool:
    """Whether a loop binds `target` to the number of the iteration: over `range`, `enumerate`, `itertools.count`."""
    pattern: ast.AST = target
    index: int | None = None
    parent = module.parent(target)
    if isinstance(parent, ast.Tuple):
        pattern, index, parent = parent, parent.elts.index(target), module.parent(parent)
    match parent:
        case ast.For(target=bound, iter=over) | ast.comprehension(target=bound, iter=over) if bound is pattern:
            return _counts(module, over, index)
    return False


def _counts(module: Module, over: ast.expr, index: int | None) -> bool:
    """Whether what a loop goes over counts its iterations, in the part `index` of each entry; None for all of it."""
    if not isinstance(over, ast.Call):
        return False
    func = over.func
    name = func.id if isinstance(func, ast.Name) and module.scope_of(func.id, func) is None else None
    if index is None:
        return name == "range" or module.qualname(func) == "itertools.count"
    is_plain = not any(isinstance(argument, ast.Starred) for argument in over.args)
    if name == "zip" and is_plain and index < len(over.args):
        return _counts(module, over.args[index], None)
    return name == "enumerate" and index == 0


def comes_back(module: Module, target: ast.Name) -> ast.Call | None:
    """The call in `state, step = f(state, step)` whose jitted function returns `step + 1` there, as a number.

    Returns:
      None where `target` is bound in another way.
    """
    parent = module.parent(target)
    assign = module.parent(parent) if isinstance(parent, ast.Tuple) and parent is not None else parent
    if not isinstance(assign, ast.Assign) or not isinstance(assign.value, ast.Call) or len(assign.targets) != 1:
        return None
    call = assign.value
    found = jitted_of(module, call.func)
    if found is None or found.function is None or found.jit.by != "equinox.filter_jit":
        return None
    index = parent.elts.index(target) if isinstance(parent, ast.Tuple) else None
    parameter = _parameter_of(call, found.jit.parameters or (), target.id)
    results = [_part(value, index) for value in _results(module, found.function)]
    is_number = bool(results) and all(r is not None and _is_step_of(r, parameter) for r in results)
    return call if parameter is not None and is_number else None


def _parameter_of(call: ast.Call, parameters: tuple[str, ...], name: str) -> str | None:
    for position, argument in enumerate(call.args[: len(parameters)]):
        if isinstance(argument, ast.Name) and argument.id == name:
            return parameters[position]
    named = (k.arg for k in call.keywords if isinstance(k.value, ast.Name) and k.value.id == name)
    return next(named, None)


def _results(module: Module, function: Function) -> list[ast.expr | None]:
    if isinstance(function, ast.Lambda):
        return [function.body]
    return [n.value for n in walk(function) if isinstance(n, ast.Return) and module.function(n) is function]


def _part(value: ast.expr | None, index: int | None) -> ast.expr | None:
    if index is None:
        return value
    return value.elts[index] if isinstance(value, ast.Tuple) and index < len(value.elts) else None


def _is_step_of(value: ast.expr, parameter: str | None) -> bool:
    match value:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add() | ast.Sub(), right=ast.Constant(value=int())):
            return name == parameter
    return False


def _targets(loop: ast.AST) -> Iterator[ast.AST]:
    generators = getattr(loop, "generators", [])
    for target in [getattr(loop, "target", None), *(generator.target for generator in generators)]:
        if target is not None:
            yield from walk(target)


def _is_sure(module: Module, store: ast.AST, around: list[ast.AST]) -> bool:
    for loop in around:
        if store in _targets(loop):
            return True
        if loop in module.ancestors(store):
            return always_runs(module, store, loop)
    return False
