"""What the callers of a function do with it, from file to file, to the end of every path that was read."""

from collections.abc import Callable
from operator import or_

from jaxfix.dataflow.solver import EXISTS, Lattice, Solver
from jaxfix.semantic.project.offered import Offered
from jaxfix.semantic.project.summary_types import CallerPath, Runs, Use

_Known = frozenset[Runs]
_UNKNOWN: _Known = frozenset({Runs.UNKNOWN})
_CONTEXTS: Lattice[_Known] = Lattice(frozenset(), or_, _UNKNOWN)


class Callers:
    """Answers by the dotted name of a function.

    Args:
      uses: what programs in other files do with it.
      is_offered: whether it is meant for unknown code.
    """

    def __init__(self, uses: Callable[[str], tuple[Use, ...]], is_offered: Offered) -> None:
        self._uses, self._is_offered = uses, is_offered
        self.runs = Solver(self._runs, _CONTEXTS)
        self.seen = Solver(self._seen, _CONTEXTS)
        self.repeats = Solver(self._repeats, EXISTS)
        self.surely_repeats = Solver(self._surely_repeats, EXISTS)
        self.differentiated = Solver(self._differentiated, EXISTS)
        self._is_reached = Solver(self._reached, EXISTS)

    @property
    def steps(self) -> int:
        """The evaluations so far."""
        every = (self.runs, self.seen, self.repeats, self.surely_repeats, self.differentiated, self._is_reached)
        return sum(solver.steps for solver in every)

    def is_open(self, name: str) -> bool:
        """Whether it is a method that unknown code may call, or too many files: nobody knows how it runs.

        A private one of few files is followed: its class knows who else would call it.
        """
        if not name.startswith("."):
            return False
        is_private = name.startswith("._") and not name.startswith(".__")
        return self._is_offered.is_common(name) or (not is_private and self._is_offered(name))

    def _runs(self, name: str) -> _Known:
        if self.is_open(name):
            return _UNKNOWN
        found = frozenset(way for use in self._uses(name) for way in self._runs_of(use))
        if not found and not self._is_reached(name):
            return _UNKNOWN  # nothing but its own callees calls it: so does somebody who is unknown
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
        """As `_runs`, if those that some file was seen to call are called by nobody else."""
        if self.is_open(name):
            return _UNKNOWN
        found = self._of_objects(name, frozenset(way for use in self._uses(name) for way in self._seen_of(use)))
        return found | _UNKNOWN if self._is_offered(name) else found

    def _seen_of(self, use: Use) -> _Known:
        return frozenset(use.runs).union(*(self._seen_through(path) for path in use.through))

    def _seen_through(self, path: CallerPath) -> _Known:
        is_known = self.is_open(path.name) or path.called or self._is_reached(path.name)
        return self.seen(path.name) if is_known else self.seen(path.name) | _UNKNOWN

    def _reached(self, name: str) -> bool:
        """Whether a path to the function begins in none of its callees, in code whose own callers were read."""
        return any(use.runs or any(self._begins(path) for path in use.through) for use in self._uses(name))

    def _begins(self, path: CallerPath) -> bool:
        return self.is_open(path.name) or not self._uses(path.name) or self._is_reached(path.name)

    def _repeats(self, name: str) -> bool:
        return any(use.repeats or any(map(self._path_repeats, use.through)) for use in self._uses(name))

    def _path_repeats(self, path: CallerPath) -> bool:
        return self._is_eager(path.name) and (path.repeats or self.repeats(path.name))

    def _surely_repeats(self, name: str) -> bool:
        return any(use.surely or any(map(self._path_surely_repeats, use.through)) for use in self._uses(name))

    def _path_surely_repeats(self, path: CallerPath) -> bool:
        return self._is_eager(path.name) and (path.again or (path.always and self.surely_repeats(path.name)))

    def _is_eager(self, name: str) -> bool:
        return not name.startswith(".") and Runs.EAGER in self.runs(name)  # of a method that is never known

    def _differentiated(self, name: str) -> bool:
        return not self.is_open(name) and any(
            use.differentiated or any(self.differentiated(path.name) for path in use.through)
            for use in self._uses(name)
        )
