"""Where code runs: eagerly, only under a trace, or as code outside of the module decides; and whether it repeats."""

import ast
from collections.abc import Iterator
from functools import cached_property
from operator import or_
from typing import Final

from jaxfix.dataflow.solver import EXISTS, Lattice, Solver
from jaxfix.semantic.dominance import always_runs
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import (
    DIFFERENTIATED,
    IS_ONLY_TRACED,
    REPEATS,
    RUNS,
    SURELY_REPEATS,
    Answering,
    is_seen_settled,
    is_seen_traced,
    seen_of,
)
from jaxfix.semantic.project.summary_types import CallerPath, Contexts, Runs
from jaxfix.semantic.trip_count import FEW, iterations, may_iterate_twice
from jaxfix.staging import visibility
from jaxfix.staging.call_edges import CallEdge, CallGraph, Escape, Use, runs_at_each_call
from jaxfix.staging.eagerness import Eagerness
from jaxfix.staging.entry import (
    is_called,
    is_named_otherwise,
    names_for_others,
)
from jaxfix.staging.scripts import is_script
from jaxfix.staging.tracer_guards import is_uncompiled
from jaxfix.staging.ways import NOWHERE, TRACED, Ways
from jaxfix.syntax.nodes import Function

_Paths = frozenset[CallerPath]
_NO_PATHS: _Paths = frozenset()
_PATHS = Lattice(_NO_PATHS, or_, _NO_PATHS)


class UseSummary:
    """What becomes of a function of another file at one place, each answer found when it is asked for.

    Attributes:
      call: the call that it comes to, if any.
    """

    def __init__(self, module: Module, use: Use) -> None:
        self._module, self._use = module, use
        self._staging = module.get(Staging)
        self.call: Final = use.site if isinstance(use, CallEdge) else None

    @cached_property
    def ways(self) -> Contexts:
        """How the function runs there."""
        return self._module.get(Ways).at(self._use)

    @cached_property
    def through(self) -> tuple[CallerPath, ...]:
        """The functions that others may call to get there."""
        if isinstance(self._use, CallEdge):
            return self._staging.through(self._use.site)
        return () if self._use.returned is None else (_returned(self._use.returned),)

    @property
    def repeats(self) -> bool:
        """Whether the file runs it eagerly and repeatedly."""
        return self.call is not None and self._staging.repeats(self.call)

    @property
    def surely(self) -> bool:
        """Whether it surely does."""
        return self.call is not None and self._staging.surely_repeats(self.call)

    @property
    def differentiated(self) -> bool:
        """Whether a derivative is taken on the way."""
        return self._use.differentiated or (self.call is not None and self._staging.differentiated(self.call))


class Staging:
    """Answers for one module, along the edges of its call graph: in it, and in the files around it."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._graph = module.get(CallGraph)
        self._repeats = Solver(self._repeats_function, EXISTS)
        self._surely_repeats = Solver(self._surely_repeats_function, EXISTS)
        self._differentiated = Solver(self._takes_derivative, EXISTS)
        self._paths = Solver(self._paths_to, _PATHS)

    @property
    def steps(self) -> int:
        """The evaluations that the answers so far have cost."""
        solvers = (self._repeats, self._surely_repeats, self._differentiated, self._paths)
        others = (self._module.get(Ways), self._module.get(Eagerness))
        return sum(each.steps for each in (*solvers, *others))

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
        return self._module.get(Ways).to(node)

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
        may_be = ways.known <= TRACED.known and ways != NOWHERE
        return may_be and all(ask(IS_ONLY_TRACED, name) for name in sorted(ways.open))

    def is_staged(self, node: ast.AST) -> bool:
        """Whether `node` only ever runs under a trace, as far as the project tells."""
        return self.is_only_traced(node) or is_seen_traced(self._project, self.ways(node))

    # --- whether it repeats -----------------------------------------------------------------------------------

    def repeats(self, node: ast.AST) -> bool:
        """Whether the code that was read runs `node` eagerly and repeatedly."""
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
        once = (self._module.function(node) is None or self._is_program_alone(node)) and self.is_eager(node)
        return not (once or self._is_settled(node)) or (self.repeats(node) and not self.is_seldom(node))

    def _is_program_alone(self, node: ast.AST) -> bool:
        """Whether nothing but the program that the file is leads to `node`: no other file uses its functions."""
        is_program = is_script(self._module) or self._module.source.holds_tests
        return is_program and not self.ways(node).open

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
        """What of this file runs `node` repeatedly: the calls that lead to it, then the loop.

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
        called = is_called(self._module, function)
        found = {
            CallerPath(name, False, True, False, called or is_named_otherwise(self._module, function, name))
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
        if eagerly and self.ways(use.site) == TRACED:
            return False
        return use.differentiated or self.differentiated(use.site, eagerly=eagerly)

    # --- functions of other files -----------------------------------------------------------------------------

    def uses_of_expression(self, node: ast.expr) -> Iterator[UseSummary]:
        """What becomes of a function that `node` stands for.

        Returns:
          Each use once, as one comes to it; empty where nothing uses it.
        """
        return (UseSummary(self._module, use) for use in self._graph.uses_of_expression(node))


def _returned(name: str) -> CallerPath:
    return CallerPath(name, repeats=False, always=False, again=False)
