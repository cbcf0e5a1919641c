"""What the callers of a function do with it, from file to file, to the end of every path that was read."""

from collections.abc import Callable, Collection
from enum import Enum
from functools import partial
from operator import or_

from jaxfix.dataflow.solver import EXISTS, Lattice, Solver
from jaxfix.semantic.project.offered import Offered
from jaxfix.semantic.project.searches import Reach, Search
from jaxfix.semantic.project.summary_types import CallerPath, Runs, Use

_Known = frozenset[Runs]
_UNKNOWN: _Known = frozenset({Runs.UNKNOWN})
_TRACED: _Known = frozenset({Runs.TRACED})
_CONTEXTS: Lattice[_Known] = Lattice(frozenset(), or_, _UNKNOWN)


class Along(Enum):
    """Which ways to a function decide an answer; what lies beyond others is not read."""

    ALL = "all"
    EAGER_THEN_ALL = "an eager one, else all"
    ALL_EAGER = "all that may be eager"
    EAGER = "an eager one"
    TRACED = "a traced one"
    ONLY_TRACED = "one that is not traced"
    NOT_TRACED = "one that is not traced, or that it is offered"
    UNKNOWN = "an unknown one, or that it is offered"
    DIFFERENTIATED = "one that takes a derivative"


class Callers:
    """Answers by the dotted name of a function.

    Args:
      uses: what programs in other files do with it.
      is_offered: whether it is meant for unknown code.

    Attributes:
      eager: whether a way to it is eager; none through a method of whatever object is known to be.
      traced: whether a way to it lies under a trace.
      otherwise: whether a use on a way to it is not traced.
      unknown: whether of a use on a way to it nothing is known.
      differentiated: whether a derivative is taken on a way to it.
    """

    def __init__(self, uses: Callable[[str], tuple[Use, ...]], is_offered: Offered) -> None:
        self._uses, self._is_offered = uses, is_offered
        self.runs = Solver(self._runs, _CONTEXTS)
        self.seen = Solver(self._seen, _CONTEXTS)
        self.repeats = Solver(self._repeats, EXISTS)
        self.surely_repeats = Solver(self._surely_repeats, EXISTS)
        self._is_reached = Solver(self._reached, EXISTS)
        self._is_open = is_offered.is_open
        reach = partial(Reach, uses, is_open=is_offered.is_open)
        self.eager, self.traced = reach(_is_eager, methods=False), reach(_is_traced)
        self.otherwise, self.unknown = reach(_is_otherwise, if_open=True), reach(_is_unknown, if_open=True)
        self.differentiated = reach(_is_differentiated)
        every, all_eager = reach(_is_anything), reach(_is_anything, methods=False)
        self._along = {
            Along.ALL: every,
            Along.EAGER_THEN_ALL: every,
            Along.ALL_EAGER: all_eager,
            Along.EAGER: self.eager,
            Along.TRACED: self.traced,
            Along.ONLY_TRACED: self.otherwise,
            Along.NOT_TRACED: self.otherwise,
            Along.UNKNOWN: self.unknown,
            Along.DIFFERENTIATED: self.differentiated,
        }

    @property
    def steps(self) -> int:
        """The evaluations so far."""
        every = (self.runs, self.seen, self.repeats, self.surely_repeats, self._is_reached)
        return sum(solver.steps for solver in every)

    # --- how it runs ------------------------------------------------------------------------------------------

    def is_only_traced(self, name: str) -> bool:
        """Whether `runs` knows of traces alone."""
        return not self.otherwise(name) and self.runs(name) == _TRACED

    def is_seen_traced(self, name: str) -> bool:
        """Whether `seen` knows of traces alone."""
        return not self._is_seen_otherwise(name) and self.seen(name) == _TRACED

    def is_seen_otherwise(self, name: str) -> bool:
        """Whether `seen` knows of something else than traces."""
        return self._is_seen_otherwise(name) or not self.seen(name) <= _TRACED

    def _is_seen_otherwise(self, name: str) -> bool:
        return self._is_offered(name) or self.otherwise(name)

    def is_settled(self, name: str) -> bool:
        """Whether `seen` knows of something, and nothing of it is unknown."""
        return not self._is_seen_unknown(name) and Runs.UNKNOWN not in (self.seen(name) or _UNKNOWN)

    def may_be_unknown(self, name: str) -> bool:
        """Whether `seen` knows of something unknown."""
        return self._is_seen_unknown(name) or Runs.UNKNOWN in self.seen(name)

    def _is_seen_unknown(self, name: str) -> bool:
        return self._is_offered(name) or self.unknown(name)

    def reading(self, along: Along, names: Collection[str]) -> Search:
        """What has to be read for answers about these functions."""
        if along in (Along.NOT_TRACED, Along.UNKNOWN):
            names = [name for name in names if not self._is_offered(name)]
        if along is Along.EAGER_THEN_ALL:
            yield from self.eager.search(names)
            names = [name for name in names if not self.eager(name)]
        yield from self._along[along].search(names)

    # --- the relations ----------------------------------------------------------------------------------------

    def _runs(self, name: str) -> _Known:
        if self._is_open(name):
            return _UNKNOWN
        found = frozenset(way for use in self._uses(name) for way in self._runs_of(use))
        if not found and not self._is_reached(name):
            return _UNKNOWN  # nothing but its own callees calls it: so do unknown callers
        return self._of_objects(name, found)

    @staticmethod
    def _of_objects(name: str, found: _Known) -> _Known:
        """Of a method perhaps of another class only what holds for all of them is known of one."""
        if name.startswith("."):
            return frozenset(way if way is Runs.TRACED else Runs.UNKNOWN for way in found)
        return found

    def _runs_of(self, use: Use) -> _Known:
        return frozenset(use.runs).union(*(self.runs(path.name) for path in use.through))

    def _seen(self, name: str) -> _Known:
        """As `_runs`, if those that some file was seen to call have no other callers."""
        if self._is_open(name):
            return _UNKNOWN
        found = self._of_objects(name, frozenset(way for use in self._uses(name) for way in self._seen_of(use)))
        return found | _UNKNOWN if self._is_offered(name) else found

    def _seen_of(self, use: Use) -> _Known:
        return frozenset(use.runs).union(*(self._seen_through(path) for path in use.through))

    def _seen_through(self, path: CallerPath) -> _Known:
        is_known = self._is_open(path.name) or path.called or self._is_reached(path.name)
        return self.seen(path.name) if is_known else self.seen(path.name) | _UNKNOWN

    def _reached(self, name: str) -> bool:
        """Whether a path to the function begins in none of its callees, in code whose own callers were read."""
        return any(use.runs or any(self._begins(path) for path in use.through) for use in self._uses(name))

    def _begins(self, path: CallerPath) -> bool:
        return self._is_open(path.name) or not self._uses(path.name) or self._is_reached(path.name)

    # --- whether it repeats -----------------------------------------------------------------------------------

    def _repeats(self, name: str) -> bool:
        return any(use.repeats or any(map(self._path_repeats, use.through)) for use in self._uses(name))

    def _path_repeats(self, path: CallerPath) -> bool:
        return self._is_eager(path.name) and (path.repeats or self.repeats(path.name))

    def _surely_repeats(self, name: str) -> bool:
        return any(use.surely or any(map(self._path_surely_repeats, use.through)) for use in self._uses(name))

    def _path_surely_repeats(self, path: CallerPath) -> bool:
        return self._is_eager(path.name) and (path.again or (path.always and self.surely_repeats(path.name)))

    def _is_eager(self, name: str) -> bool:
        return self.eager(name)  # of a method that is never known


def _is_eager(use: Use) -> bool:
    return Runs.EAGER in use.runs


def _is_traced(use: Use) -> bool:
    return Runs.TRACED in use.runs


def _is_otherwise(use: Use) -> bool:
    return any(way is not Runs.TRACED for way in use.runs)


def _is_unknown(use: Use) -> bool:
    return Runs.UNKNOWN in use.runs


def _is_differentiated(use: Use) -> bool:
    return use.differentiated


def _is_anything(use: Use) -> bool:
    return False
