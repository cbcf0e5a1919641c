"""Where code runs: eagerly, only under a trace, or as code outside of the module decides; and whether it repeats."""

import ast
from collections.abc import Iterator
from operator import or_

from jaxfix.dataflow.solver import EXISTS, Lattice, Solver
from jaxfix.semantic.dominance import always_runs
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import (
    DIFFERENTIATED,
    IS_ONLY_TRACED,
    IS_USED,
    REPEATS,
    RUNS,
    SURELY_REPEATS,
    Answering,
    is_seen_settled,
    is_seen_traced,
    seen_of,
)
from jaxfix.semantic.project.summary_types import UNKNOWN_CONTEXTS, CallerPath, Contexts, Runs
from jaxfix.semantic.trip_count import FEW, iterations, may_iterate_twice
from jaxfix.source.frozen import frozen
from jaxfix.staging import visibility
from jaxfix.staging.call_edges import CallEdge, CallGraph, Escape, Use, runs_at_each_call
from jaxfix.staging.eagerness import Eagerness
from jaxfix.staging.entry import (
    Nature,
    attribute_for_others,
    entering,
    is_method_for_others,
    names_for_others,
    nature_of,
)
from jaxfix.staging.scripts import is_script
from jaxfix.staging.tracer_guards import is_for_tracers, is_uncompiled
from jaxfix.syntax.nodes import Function

_EAGER = Contexts(frozenset({Runs.EAGER}))
_TRACED = Contexts(frozenset({Runs.TRACED}))
_NOWHERE = Contexts()
_CONTEXTS = Lattice(_NOWHERE, or_, UNKNOWN_CONTEXTS)
_Paths = frozenset[CallerPath]
_NO_PATHS: _Paths = frozenset()
_PATHS = Lattice(_NO_PATHS, or_, _NO_PATHS)


@frozen
class UseSummary:
    """What becomes of a function of another file at one place: the call that it comes to, if any, and how that runs."""

    call: ast.Call | None
    ways: Contexts
    through: tuple[CallerPath, ...] = ()
    repeats: bool = False
    surely: bool = False
    differentiated: bool = False


class Staging:
    """Answers for one module, along the edges of its call graph: in it, and in the files around it."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._graph = module.get(CallGraph)
        self._contexts = Solver(self._contexts_of, _CONTEXTS)
        self._is_reached = Solver(self._reached, EXISTS)
        self._repeats = Solver(self._repeats_function, EXISTS)
        self._surely_repeats = Solver(self._surely_repeats_function, EXISTS)
        self._differentiated = Solver(self._takes_derivative, EXISTS)
        self._paths = Solver(self._paths_to, _PATHS)

    @property
    def steps(self) -> int:
        """The evaluations that the answers so far have cost."""
        flags = (self._is_reached, self._repeats, self._surely_repeats, self._module.get(Eagerness))
        return self._contexts.steps + self._paths.steps + self._differentiated.steps + sum(each.steps for each in flags)

    @property
    def _project(self) -> Answering:
        return self._module.surroundings.project

    # --- where it runs ----------------------------------------------------------------------------------------

    def runs(self, node: ast.AST) -> Runs:
        """Whether `node` runs eagerly, only under a trace, or as the callers of the module decide."""
        found = self.ways(node)
        for name in found.open:
            found |= Contexts(frozenset({self._project.ask(RUNS, name)}))
        return found.runs

    def is_eager(self, node: ast.AST) -> bool:
        """Whether `runs` says so: to ask no more than that needs fewer answers of other files."""
        return self._module.get(Eagerness).is_eager(node)

    def may_be_seen(self, node: ast.AST) -> bool:
        """Whether `seen` may know of an eager way; asks less of other files."""
        return self._module.get(Eagerness).may_be_seen(node)

    def may_be_traced(self, node: ast.AST) -> bool:
        """Whether `ways`, `runs` or `seen` may know of a trace; asks less of other files than they do."""
        return self._module.get(Eagerness).may_be_traced(node)

    def ways(self, node: ast.AST) -> Contexts:
        """How this file reaches `node`; the functions that others may call are left open."""
        function = self._module.function(node)
        if function is None:
            return _EAGER
        return _TRACED if is_for_tracers(self._module, node) else self._contexts(function)

    def seen(self, node: ast.AST) -> frozenset[Runs]:
        """The ways to `node`, if a public function with known callers has no others.

        Who imports a function that the project calls itself, and does not offer, runs it as the project does.

        Returns:
          Empty where nothing that was read leads to `node`.
        """
        return seen_of(self._project, self.ways(node))

    def is_only_traced(self, node: ast.AST) -> bool:
        """Whether `runs` says so: to ask no more than that needs fewer answers of other files."""
        ways, ask = self.ways(node), self._project.ask
        may_be = ways.known <= _TRACED.known and ways != _NOWHERE
        return may_be and all(ask(IS_ONLY_TRACED, name) for name in sorted(ways.open))

    def is_staged(self, node: ast.AST) -> bool:
        """Whether `node` only ever runs under a trace, as far as the project tells."""
        return self.is_only_traced(node) or is_seen_traced(self._project, self.ways(node))

    def _contexts_of(self, function: Function) -> Contexts:
        if visibility.is_called_by_a_runner(self._module, function):
            return _EAGER
        ruled = visibility.ruled_by(self._module, function)
        if ruled is not None:
            return self._contexts(ruled)
        if visibility.is_jitted(self._module, function):
            return _TRACED
        nature = nature_of(self._module, function)
        found = self._from_outside(function, nature)
        for use in entering(self._module, function):
            ways = self._ways_of(use)
            at = use.site if isinstance(use, CallEdge) else use.given
            found |= ways if nature is Nature.PLAIN else self._where_traced(ways, at)
        if found == _NOWHERE and nature is Nature.STRANGE and not self._is_reached(function):
            return UNKNOWN_CONTEXTS
        return found

    def _from_outside(self, function: Function, nature: Nature) -> Contexts:
        """How code that does not name `function` in this file reaches it."""
        module, found = self._module, _NOWHERE
        is_public, is_strange = visibility.is_public(module, function), nature is Nature.STRANGE
        if is_strange and not visibility.is_private_name(function):
            found |= UNKNOWN_CONTEXTS
        name = self.name_for_others(function)
        if name is not None and nature is not Nature.PLAIN and self._project.ask(IS_USED, name):
            found |= UNKNOWN_CONTEXTS
        elif name is not None and (is_public or self._project.ask(IS_USED, name)):
            found |= self._open(function, name)
        if is_method_for_others(module, function):
            method = visibility.plain_method(self._module, function)
            found |= UNKNOWN_CONTEXTS if method is None else self._open(function, method)
        attribute = attribute_for_others(module, function)
        if attribute is not None and not is_strange:
            found |= Contexts(open=frozenset({attribute}))
        return found

    def _open(self, function: Function, name: str) -> Contexts:
        is_known = self._is_called(function) or self._is_named_otherwise(function, name)
        return Contexts(open=frozenset({name}), called=frozenset({name} if is_known else ()))

    def _is_named_otherwise(self, function: Function, name: str) -> bool:
        """Whether it is a method whose callers are found by its attribute, on whatever object."""
        return visibility.plain_method(self._module, function) not in (None, name)

    def _is_called(self, function: Function) -> bool:
        """Whether its own file has a use for a function that it does not list as what it offers."""
        return any(entering(self._module, function)) and not visibility.is_listed(self._module, function)

    def _ways_of(self, use: Use) -> Contexts:
        """How a function runs at one use of it; given away, it runs under a trace where it is given under one."""
        if isinstance(use, CallEdge):
            return self.ways(use.site)
        if use.returned is not None:
            return Contexts(open=frozenset({use.returned}))
        if use.given is not None:
            return self._where_traced(self.ways(use.given), use.given)
        return Contexts(frozenset({use.runs}))

    def _where_traced(self, ways: Contexts, at: ast.AST | None) -> Contexts:
        """What is left of `ways` where only a trace around all of them tells something."""
        if ways == _NOWHERE:
            return _NOWHERE if at is None or self._reaches(at) else UNKNOWN_CONTEXTS
        if is_seen_traced(self._project, ways):
            return _TRACED
        return Contexts((ways.known & _TRACED.known) | {Runs.UNKNOWN})

    def _reaches(self, node: ast.AST) -> bool:
        function = self._module.function(node)
        return function is None or is_for_tracers(self._module, node) or self._is_reached(function)

    def _reached(self, function: Function) -> bool:
        """Whether a path that was read leads to `function`: what only dead code calls is reached by none."""
        module = self._module
        ruled = visibility.ruled_by(module, function)
        if ruled is not None:
            return self._is_reached(ruled)
        if visibility.is_called_by_a_runner(module, function) or visibility.is_jitted(module, function):
            return True
        is_entered = self._from_outside(function, nature_of(self._module, function)) != _NOWHERE
        return is_entered or any(map(self._begins, entering(self._module, function)))

    def _begins(self, use: Use) -> bool:
        if isinstance(use, Escape):
            return use.given is None or self._reaches(use.given)
        return self._reaches(use.site)

    # --- whether it repeats -----------------------------------------------------------------------------------

    def repeats(self, node: ast.AST) -> bool:
        """Whether the code that was read runs `node` eagerly again and again."""
        if not self.is_eager(node):
            return False
        function = self._module.function(node)
        return bool(self._module.loops(node)) or (function is not None and self._repeats(function))

    def _repeats_function(self, function: Function) -> bool:
        if any(self._project.ask(REPEATS, name) for name in self._called_as(function)):
            return True
        return any(self.repeats(edge.site) for edge in self._graph.edges(function))

    def may_repeat(self, node: ast.AST) -> bool:
        """Whether `node` runs more than once, as far as the code that was read tells."""
        is_program = is_script(self._module) or self._module.source.holds_tests
        once = (is_program or self._module.function(node) is None) and self.is_eager(node)
        return not (once or self._is_settled(node)) or (self.repeats(node) and not self.is_seldom(node))

    def is_seldom(self, node: ast.AST) -> bool:
        """Whether the loop that runs `node` again runs a few times, as its text says, and nothing repeats it."""
        way = self.round_about(node)
        rounds = iterations(self._module, way[-1]) if way else None
        return rounds is not None and rounds < FEW and not self.repeats(way[-1])

    def _is_settled(self, node: ast.AST) -> bool:
        """Whether all calls that lead to `node` were seen."""
        return is_seen_settled(self._project, self.ways(node))

    def surely_repeats(self, node: ast.AST) -> bool:
        """Whether `repeats`, and nothing on the way says that it happens at times only, or once."""
        if self._module.source.holds_tests:
            return False  # a test does not show how a program runs something
        if not self.is_eager(node) or is_uncompiled(self._module, node):
            return False
        if self._goes_around(node):
            return True
        function = self._module.function(node)
        if function is None or not runs_at_each_call(self._module, node, function):
            return False
        return self._surely_repeats(function)

    def _surely_repeats_function(self, function: Function) -> bool:
        if any(self._project.ask(SURELY_REPEATS, name) for name in self._called_as(function)):
            return True
        return any(self.surely_repeats(edge.site) for edge in self._graph.edges(function))

    def _goes_around(self, node: ast.AST) -> bool:
        module = self._module
        return any(may_iterate_twice(module, loop) and always_runs(module, node, loop) for loop in module.loops(node))

    def round_about(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """What of this file runs `node` again and again: the calls that lead to it, then the loop.

        Returns:
          The nearest call first, the loop last; empty where no loop of this file runs it.
        """
        waiting: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(node, ())]
        met = set()
        for at, way in waiting:  # grows: the shortest way is found first
            loop = next((loop for loop in self._module.loops(at) if may_iterate_twice(self._module, loop)), None)
            if loop is not None:
                return (*way, loop)
            function = self._module.function(at)
            if function is not None and function not in met:
                met.add(function)
                waiting += [(edge.site, (*way, edge.site)) for edge in self._graph.edges(function)]
        return ()

    # --- who calls it -----------------------------------------------------------------------------------------

    def through(self, node: ast.AST) -> tuple[CallerPath, ...]:
        """The functions that others may call to get to `node`.

        Returns:
          Each with how it leads there, once, the nearest first along each path; empty where no other file can.
        """
        function = self._module.function(node)
        if function is None:
            return ()
        always = runs_at_each_call(self._module, node, function)
        repeats, again = bool(self._module.loops(node)), self._goes_around(node)
        found = {path.prolonged(repeats=repeats, always=always, again=again) for path in self._paths(function)}
        if len(found) < 2:
            return tuple(found)
        order = {name: place for place, name in enumerate(self._names_around(function))}
        return tuple(sorted(found, key=lambda path: (order[path.name], path.repeats, not path.always, path.again)))

    def _paths_to(self, function: Function) -> _Paths:
        """The paths to the entry of `function`."""
        called = self._is_called(function)
        found = {
            CallerPath(name, False, True, False, called or self._is_named_otherwise(function, name))
            for name in names_for_others(self._module, function)
        }
        found.update(map(_returned, self._graph.returned_as(function)))
        for edge in self._graph.edges(function):
            for path in self._paths(edge.caller) if edge.caller is not None else ():
                again = self._goes_around(edge.site)
                found.add(path.prolonged(repeats=edge.repeats, always=edge.always, again=again))
        return frozenset(found)

    def _names_around(self, function: Function) -> Iterator[str]:
        """The names of the functions that lead to `function`, in the order in which one comes to them."""
        waiting, met = [function], set[Function]()
        while waiting:
            current = waiting.pop()
            if current not in met:
                met.add(current)
                yield from (*names_for_others(self._module, current), *self._graph.returned_as(current))
                callers = (edge.caller for edge in self._graph.edges(current))
                waiting += reversed([caller for caller in callers if caller is not None])

    def _called_as(self, function: Function) -> Iterator[str]:
        """The dotted names by which other files call it, through what returns it too."""
        name = self.name_for_others(function)
        yield from () if name is None else (name,)
        yield from self._graph.returned_as(function)

    def name_for_others(self, function: Function) -> str | None:
        """The dotted name by which other files know `function`.

        Returns:
          None for one inside a function, or of a script.
        """
        return visibility.name_for_others(self._module, function)

    # --- derivatives ------------------------------------------------------------------------------------------

    def differentiated(self, node: ast.AST, *, eagerly: bool = False) -> bool:
        """Whether a derivative of a function around `node` is taken; `eagerly`, outside of any trace."""
        return any(self._differentiated((function, eagerly)) for function in self._module.functions_around(node))

    def _takes_derivative(self, key: tuple[Function, bool]) -> bool:
        function, eagerly = key
        if any(self._project.ask(DIFFERENTIATED, name) for name in self._called_as(function)):
            return True
        return any(self._differentiates(use, eagerly=eagerly) for use in self._graph.uses(function))

    def _differentiates(self, use: Use, *, eagerly: bool) -> bool:
        if isinstance(use, Escape):
            return use.differentiated
        if eagerly and self.ways(use.site) == _TRACED:
            return False
        return use.differentiated or self.differentiated(use.site, eagerly=eagerly)

    # --- functions of other files -----------------------------------------------------------------------------

    def uses_of_expression(self, node: ast.expr) -> Iterator[UseSummary]:
        """What becomes of a function that `node` stands for.

        Returns:
          Of each use the call that it comes to, if any, and how that runs.
        """
        for use in self._graph.uses_of_expression(node):
            if isinstance(use, Escape):
                through = (_returned(use.returned),) if use.returned is not None else ()
                yield UseSummary(None, self._ways_of(use), through, differentiated=use.differentiated)
            else:
                derived = use.differentiated or self.differentiated(use.site)
                ways = self.ways(use.site)
                again, surely = self.repeats(use.site), self.surely_repeats(use.site)
                yield UseSummary(use.site, ways, self.through(use.site), again, surely, derived)

    def calls_of_expression(self, node: ast.expr) -> Iterator[UseSummary]:
        """As `uses_of_expression`, for less.

        Returns:
          The same uses; of the calls it does not say how they run.
        """
        for use in self._graph.uses_of_expression(node):
            call = use.site if isinstance(use, CallEdge) else None
            yield UseSummary(call, Contexts(), differentiated=use.differentiated)


def _returned(name: str) -> CallerPath:
    return CallerPath(name, repeats=False, always=False, again=False)
