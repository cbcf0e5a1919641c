"""How a file reaches its functions: eagerly, under a trace, as others decide, or as those do that give them away."""

import ast
from collections.abc import Iterable
from functools import reduce
from operator import or_

from jaxfix.dataflow.solver import EXISTS, Lattice, Solver
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import IS_SEEN_TRACED, IS_USED, Answering, is_seen, is_seen_traced
from jaxfix.semantic.project.summary_types import UNKNOWN_CONTEXTS, Contexts, Runs
from jaxfix.source.frozen import frozen
from jaxfix.staging import visibility
from jaxfix.staging.call_edges import CallEdge, Use
from jaxfix.staging.entry import (
    Nature,
    attribute_for_others,
    entering,
    is_called,
    is_method_for_others,
    is_named_otherwise,
    nature_of,
)
from jaxfix.staging.tracer_guards import is_for_tracers
from jaxfix.syntax.nodes import Function

_EAGER = Contexts(frozenset({Runs.EAGER}))
TRACED = Contexts(frozenset({Runs.TRACED}))
NOWHERE = Contexts()
_CONTEXTS = Lattice(NOWHERE, or_, UNKNOWN_CONTEXTS)


@frozen
class _Entries:
    """How a function is entered, before it is known how unknown code runs what it is given.

    Attributes:
      contexts: the ways that nobody passes on.
      givers: the functions that pass it on. What is given under a trace runs under it; else nothing is known.
    """

    contexts: Contexts = NOWHERE
    givers: frozenset[Function] = frozenset()

    def __or__(self, other: "_Entries") -> "_Entries":
        return _Entries(self.contexts | other.contexts, self.givers | other.givers)


_NONE, _UNKNOWN = _Entries(), _Entries(UNKNOWN_CONTEXTS)
_ENTRIES = Lattice(_NONE, or_, _UNKNOWN)


class Ways:
    """Answers for one module, in four relations: each is monotone, and takes the answers of those before as constants.

    How a function is entered, its givers by name; whether some caller of it was seen; whether a way to it passes no
    trace; and so what unknown code does with it. That a giver was not seen, or not under a trace, is a negation: it is
    asked when the relation that it denies is known.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._entries = Solver(self._entries_of, _ENTRIES)
        self._is_seen = Solver(self._seen, EXISTS)
        self._is_untraced = Solver(self._untraced, EXISTS)
        self._given_by = Solver(self._of_giver, _CONTEXTS)

    @property
    def steps(self) -> int:
        """The evaluations that the answers so far have cost."""
        return sum(each.steps for each in (self._entries, self._is_seen, self._is_untraced, self._given_by))

    @property
    def _project(self) -> Answering:
        return self._module.surroundings.project

    def to(self, node: ast.AST) -> Contexts:
        """The ways to `node`; the functions that others may call are left open."""
        return self._resolved(self._at(node))

    def at(self, use: Use) -> Contexts:
        """How a function runs at one use of it; passed on, it runs under a trace where it is given under one."""
        return self._resolved(self._used(use, Nature.PLAIN))

    def _resolved(self, entries: _Entries) -> Contexts:
        return reduce(or_, map(self._given_by, _in_order(entries.givers)), entries.contexts)

    # --- how it is entered ------------------------------------------------------------------------------------

    def _at(self, node: ast.AST) -> _Entries:
        function = self._module.function(node)
        if function is None:
            return _Entries(_EAGER)
        return _Entries(TRACED) if is_for_tracers(self._module, node) else self._entries(function)

    def _entries_of(self, function: Function) -> _Entries:
        if visibility.is_called_by_a_runner(self._module, function):
            return _Entries(_EAGER)
        ruled = visibility.ruled_by(self._module, function)
        if ruled is not None:
            return self._entries(ruled)
        if visibility.is_jitted(self._module, function):
            return _Entries(TRACED)
        nature = nature_of(self._module, function)
        found = _Entries(self._from_outside(function, nature))
        for use in entering(self._module, function):
            found |= self._used(use, nature)
        return _UNKNOWN if found == _NONE and nature is Nature.STRANGE else found

    def _used(self, use: Use, nature: Nature) -> _Entries:
        """How a function of this nature is entered by one use: one that is perhaps another counts as passed on."""
        if isinstance(use, CallEdge):
            return self._at(use.site) if nature is Nature.PLAIN else self._given_at(use.site)
        if use.given is not None:
            return self._given_at(use.given)
        if nature is Nature.PLAIN:
            return _Entries(_returned(use.returned) if use.returned is not None else Contexts(frozenset({use.runs})))
        is_traced = use.runs is Runs.TRACED if use.returned is None else self._project.ask(IS_SEEN_TRACED, use.returned)
        return _Entries(TRACED) if is_traced else _UNKNOWN

    def _given_at(self, node: ast.AST) -> _Entries:
        giver = self._module.function(node)
        if giver is None:
            return _UNKNOWN
        return _Entries(TRACED) if is_for_tracers(self._module, node) else _Entries(givers=frozenset({giver}))

    def _from_outside(self, function: Function, nature: Nature) -> Contexts:
        """How code that does not name `function` in this file reaches it."""
        module, found = self._module, NOWHERE
        is_public, is_strange = visibility.is_public(module, function), nature is Nature.STRANGE
        if is_strange and not visibility.is_private_name(function):
            found |= UNKNOWN_CONTEXTS
        name = visibility.name_for_others(module, function)
        if name is not None and nature is not Nature.PLAIN and self._project.ask(IS_USED, name):
            found |= UNKNOWN_CONTEXTS
        elif name is not None and (is_public or self._project.ask(IS_USED, name)):
            found |= self._open(function, name)
        if is_method_for_others(module, function):
            method = visibility.plain_method(module, function)
            found |= UNKNOWN_CONTEXTS if method is None else self._open(function, method)
        attribute = attribute_for_others(module, function)
        return found if attribute is None or is_strange else found | _returned(attribute)

    def _open(self, function: Function, name: str) -> Contexts:
        is_known = is_called(self._module, function) or is_named_otherwise(self._module, function, name)
        return Contexts(open=frozenset({name}), called=frozenset({name} if is_known else ()))

    # --- what unknown code is given ---------------------------------------------------------------------------

    def _seen(self, giver: Function) -> bool:
        """Whether something was seen to lead to a function: what its own file offers, and nobody calls, does not."""
        entries = self._entries(giver)
        return is_seen(self._project, entries.contexts) or any(map(self._is_seen, _in_order(entries.givers)))

    def _untraced(self, giver: Function) -> bool:
        """Whether something else than a trace leads to a function, or nothing that was seen."""
        entries = self._entries(giver)
        if not entries.contexts.known <= TRACED.known or not self._is_seen(giver):
            return True
        ways = entries.contexts | TRACED if entries.givers else entries.contexts
        return not is_seen_traced(self._project, ways) or any(map(self._is_untraced, _in_order(entries.givers)))

    def _of_giver(self, giver: Function) -> Contexts:
        """How that runs which a function passes on: where all ways to it pass a trace, under it."""
        if not self._is_untraced(giver):
            return TRACED
        ways = self._resolved(self._entries(giver))
        return Contexts((ways.known & TRACED.known) | UNKNOWN_CONTEXTS.known)


def _in_order(functions: Iterable[Function]) -> list[Function]:
    """As they stand in the text, so that the same is asked of other files in each run."""
    return sorted(functions, key=_place)


def _place(function: Function) -> tuple[int, int]:
    return function.lineno, function.col_offset


def _returned(name: str) -> Contexts:
    return Contexts(open=frozenset({name}))
