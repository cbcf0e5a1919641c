"""Whether code runs eagerly, or may lie under a trace: one way that was read tells, and asks little of other files."""

import ast
from collections.abc import Callable

from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import IS_TRACED, RUNS_EAGERLY, Query
from jaxfix.semantic.project.summary_types import Runs
from jaxfix.staging import visibility
from jaxfix.staging.call_edges import CallEdge, CallGraph, Escape, Use
from jaxfix.staging.entry import (
    Nature,
    entering,
    names_for_others,
    nature_of,
)
from jaxfix.staging.tracer_guards import is_for_tracers
from jaxfix.syntax.nodes import Function


class Eagerness:
    """Answers for one module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._is_entered = Solver(self._entered_eagerly, EXISTS)
        self._may_be_seen = Solver(self._perhaps_seen, EXISTS)
        self._may_be_traced = Solver(self._perhaps_traced, EXISTS)

    @property
    def steps(self) -> int:
        """The evaluations that the answers so far have cost."""
        return self._is_entered.steps + self._may_be_seen.steps + self._may_be_traced.steps

    def is_eager(self, node: ast.AST) -> bool:
        """Whether some way to `node` that was read does not pass a trace: `Runs.EAGER`."""
        function = self._module.function(node)
        if function is None:
            return True
        return not is_for_tracers(self._module, node) and self._is_entered(function)

    def _entered_eagerly(self, function: Function) -> bool:
        module = self._module
        if visibility.is_called_by_a_runner(module, function):
            return True
        ruled = visibility.ruled_by(module, function)
        if ruled is not None:
            return self._is_entered(ruled)
        return not visibility.is_jitted(module, function) and self._is_called_eagerly(function)

    def _is_called_eagerly(self, function: Function) -> bool:
        """Whether who calls its name runs it so: at a place that is known, and it is what is there."""
        if nature_of(self._module, function) is not Nature.PLAIN:
            return False
        name = visibility.name_for_others(self._module, function)
        return any(
            self.is_eager(use.site) if isinstance(use, CallEdge) else self._escapes_eagerly(use)
            for use in entering(self._module, function)
        ) or (name is not None and self._asks(RUNS_EAGERLY, name))

    def _escapes_eagerly(self, use: Escape) -> bool:
        if use.returned is not None:
            return self._module.surroundings.project.ask(RUNS_EAGERLY, use.returned)
        return use.given is None and use.runs is Runs.EAGER

    def may_be_seen(self, node: ast.AST) -> bool:
        """Whether `Runs.EAGER` may be among what was `seen` of `node`."""
        function = self._module.function(node)
        return function is None or (not is_for_tracers(self._module, node) and self._may_be_seen(function))

    def _perhaps_seen(self, function: Function) -> bool:
        calls = self._module.get(CallGraph).uses(function)
        if visibility.is_called_by_a_runner(self._module, function) or self._is_seen_elsewhere(function):
            return True
        return self._follows(function, self._may_be_seen) or any(
            self.may_be_seen(use.site)
            if isinstance(use, CallEdge)
            else use.runs is Runs.EAGER or (use.returned is not None and self._asks(RUNS_EAGERLY, use.returned))
            for use in calls
        )

    def _is_seen_elsewhere(self, function: Function) -> bool:
        """By its name: of a method of whatever object no file says so."""
        name = visibility.name_for_others(self._module, function)
        return name is not None and self._asks(RUNS_EAGERLY, name)

    def may_be_traced(self, node: ast.AST) -> bool:
        """Whether a way to `node` may lie under a trace: where none does, no answer about `node` has `Runs.TRACED`."""
        function = self._module.function(node)
        return function is not None and (is_for_tracers(self._module, node) or self._may_be_traced(function))

    def _perhaps_traced(self, function: Function) -> bool:
        module = self._module
        if any(map(self._is_traced, module.get(CallGraph).uses(function))) or visibility.is_jitted(module, function):
            return True
        return self._follows(function, self._may_be_traced) or self._says_project(function, IS_TRACED)

    def _is_traced(self, use: Use) -> bool:
        if isinstance(use, CallEdge):
            return self.may_be_traced(use.site)
        if use.returned is not None and self._asks(IS_TRACED, use.returned):
            return True
        return use.runs is Runs.TRACED or (use.given is not None and self.may_be_traced(use.given))

    def _asks(self, query: Query[bool], name: str) -> bool:
        return self._module.surroundings.project.ask(query, name)

    def _says_project(self, function: Function, query: Query[bool]) -> bool:
        project = self._module.surroundings.project
        return any(project.ask(query, name) for name in names_for_others(self._module, function))

    def _follows(self, function: Function, holds: Callable[[Function], bool]) -> bool:
        """Whether something holds of the function whose derivative `function` says."""
        ruled = visibility.ruled_by(self._module, function)
        return ruled is not None and holds(ruled)
