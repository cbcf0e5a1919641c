"""Weakly typed parts of initial states that come back strongly typed from an update."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from jaxfix.api import Function, Module, direct_calls, frozen, returned
from jaxfix.api.analysis import (
    MOST_PARTS,
    Form,
    Key,
    Kind,
    Lattice,
    Pair,
    Rebinding,
    Records,
    Solver,
    Values,
    rebindings,
)
from jaxfix.api.library import CONTROL_FLOW
from jaxfix_codemods.weak_state.updates import Guess, Updated, is_state, shape, strengthened

KINDS = (Kind.INT, Kind.FLOAT)


@frozen
class Leaf:
    """A weakly typed part of an initial state.

    Attributes:
      path: where it is in the state.
      made_by: the expression that makes it.
      kind: of the number at first.
      after: what an update returns for it.
      init: the function that returns the state, if it is one of a pair.
      told: names or annotations say that it is one, so that what it is made for is what is updated.
      loop: the call that updates the state, if a loop does.
      mapped: the function of the leaves of a tree that makes it, if it is made so.
    """

    path: tuple[Key, ...]
    made_by: ast.expr
    kind: Kind
    after: Updated | None = None
    init: Function | None = None
    told: bool = False
    loop: ast.Call | None = None
    mapped: Function | None = None


def drifting(module: Module, values: Values) -> Iterator[Leaf]:
    yield from _of_pairs(module, values)
    for loop in module.get(rebindings):
        yield from _of_loop(module, values, loop)


def _of_pairs(module: Module, values: Values) -> Iterator[Leaf]:
    for pair in values.origins.pairs:
        if _is_looped(module, values, pair.update) or _starts_loops(module, pair.init):
            continue
        leaves = [leaf for made in returned(pair.init) for leaf in module.get(_Leaves).of(made)]
        if leaves:
            states = list(_updated_states(module, values, pair))
            for leaf in leaves:
                for state in states:
                    guess = _guess(leaf) if pair.state is not None else Guess.NOTHING
                    after = strengthened(module, values, state, leaf.path, leaf.kind, guess)
                    if after is not None:
                        yield replace(leaf, after=after, init=pair.init, told=pair.told)


def _of_loop(module: Module, values: Values, loop: Rebinding) -> Iterator[Leaf]:
    """What a name holds that a loop rebinds to the result of a jitted function of it."""
    for first in loop.firsts:
        for leaf in module.get(_Leaves).of(first):
            after = strengthened(module, values, loop.call, (*loop.place, *leaf.path), leaf.kind, _guess(leaf))
            if after is not None:
                yield replace(leaf, path=(loop.name, *leaf.path), after=after, loop=loop.call)


def _guess(leaf: Leaf) -> Guess:
    """A Python number may only count, and is then as weak as what it comes back as."""
    return Guess.SPELLED_OUT if isinstance(leaf.made_by, ast.Call) else Guess.SHOWN


class _Leaves:
    """The weakly typed parts of states, as far as constructions are spelled out."""

    def __init__(self, module: Module) -> None:
        self._values, self._records = module.get(Values), module.get(Records)
        self._solve: Solver[_Part, tuple[Leaf, ...]] = Solver(self._found, _LEAVES)

    def of(self, state: ast.AST) -> tuple[Leaf, ...]:
        return self._solve((state, (), None))

    def _found(self, part: "_Part") -> tuple[Leaf, ...]:
        expr, path, mapped = part
        return tuple(leaf for source in self._values.origins.of(expr) for leaf in self._of_source(source, path, mapped))

    def _of_source(self, source: ast.AST, path: tuple[Key, ...], mapped: Function | None) -> Iterator[Leaf]:
        origins, value = self._values.origins, self._values.any_of((source,))
        parts = origins.parts(source)
        leaf_of = origins.mapped(source) if isinstance(source, ast.Call) and mapped is None else None
        if leaf_of is not None:
            for made in returned(leaf_of):
                yield from self._solve((made, path, leaf_of))
        elif isinstance(source, ast.expr) and value.kind in KINDS and is_weak(source, value.form):
            yield Leaf(path, source, value.kind, mapped=mapped)
        elif parts and len(path) < MOST_PARTS:
            is_tree = self._records.holds_leaves(source)
            for key, inner in parts:
                leaves = self._solve((inner, (*path, key), mapped))
                yield from (leaf for leaf in leaves if is_tree or isinstance(leaf.made_by, ast.Call))
        elif isinstance(source, ast.Call) and not path:
            function = origins.called(source)
            if function is not None and not isinstance(function, ast.Lambda):
                for made in returned(function):
                    yield from self._solve((made, (), None))


def is_weak(source: ast.expr, form: Form) -> bool:
    """Whether it is a weakly typed array, or a number that is written there: as an argument that is one too."""
    return form is Form.WEAK or (form is Form.PYTHON and is_number(source))


def is_number(expr: ast.expr) -> bool:
    """Whether it is written as one number: `0.0`, `-jnp.inf`."""
    inner = expr.operand if isinstance(expr, ast.UnaryOp) else expr
    return isinstance(inner, ast.Constant | ast.Name | ast.Attribute)


_Part = tuple[ast.AST, tuple[Key, ...], Function | None]
"""An expression, its place in the state, and the function of leaves that makes it, if one does."""
_LEAVES: Lattice[tuple[Leaf, ...]] = Lattice((), lambda one, other: tuple(dict.fromkeys((*one, *other))), ())


def _updated_states(module: Module, values: Values, pair: Pair) -> Iterator[ast.AST]:
    """What `update` returns as the new state: the result, or the part of it that is built as `init` builds it."""
    made_by_init = [source for made in returned(pair.init) for source in values.origins.of(made)]
    shapes = {shape(module, source) for source in made_by_init}
    arities = {len(source.elts) for source in made_by_init if isinstance(source, ast.Tuple)}
    for result in returned(pair.update):
        for source in values.origins.of(result):
            parts = source.elts if isinstance(source, ast.Tuple) else [source]
            alike = [p for p in parts if any(is_state(module, s, shapes) for s in values.origins.of(p))]
            if len(alike) == 1:
                yield alike[0]
            elif len(parts) == 2 and not alike:
                yield parts[1]  # `updates, state`
            elif len(parts) in arities:
                yield source


def _starts_loops(module: Module, init: Function) -> bool:
    """Whether what `init` makes is the carry of loops that JAX traces, wherever this file calls it."""
    calls = direct_calls(module, init)
    return bool(calls) and all(_is_carried(module, call) for call in calls)


def _is_carried(module: Module, call: ast.Call) -> bool:
    outer = module.enclosing(call, ast.Call)
    if outer is not None and module.qualname(outer.func) in CONTROL_FLOW:
        return True
    match module.parent(call):
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            scope = module.scope_of(name, call)
            return any(
                isinstance(argument, ast.Name) and argument.id == name and module.scope_of(name, argument) is scope
                for loop in module.calls(*CONTROL_FLOW)
                for argument in loop.args
            )
    return False


def _is_looped(module: Module, values: Values, update: Function) -> bool:
    """Whether the update is the body of a loop that JAX traces: that types its carry once and for all."""
    for call in module.calls(*CONTROL_FLOW):
        for argument in call.args:
            inner = argument.args if isinstance(argument, ast.Call) else [argument]
            if any(update in values.origins.of(function) for function in inner):
                return True
    return False
