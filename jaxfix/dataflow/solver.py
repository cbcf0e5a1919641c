"""Least fixpoints of transfer functions over a graph that is discovered on demand: the only fixpoint there is."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from heapq import heappop, heappush
from operator import or_
from types import MethodType
from typing import Generic, TypeVar
from weakref import ref

from jaxfix.dataflow.budget import MOST_NESTED, MOST_QUESTIONS

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Lattice(Generic[V]):
    """The values of an analysis.

    Attributes:
      bottom: the least, before anything is known.
      join: the least value above two; equal values compare equal, and no chain of joins is endless.
      unknown: the answer to what depends on more than the budget, sound whatever is true.
    """

    bottom: V
    join: Callable[[V, V], V]
    unknown: V


EXISTS: Lattice[bool] = Lattice(False, or_, False)
"""A property that one path is enough to show; unknown counts as no."""
MAY: Lattice[bool] = Lattice(False, or_, True)
"""A property that may hold; unknown counts as yes."""


def optional(unknown: V | None = None) -> Lattice[V | None]:
    """Of one value or none; of two it keeps the first."""
    return Lattice(None, lambda one, other: other if one is None else one, unknown)


@dataclass(eq=False, slots=True)
class _Open(Generic[K, V]):
    """A key without a final value. `low` is the least place on the stack that it depends on (Tarjan, 1972)."""

    key: K
    value: V
    place: int
    low: int
    is_due: bool = False
    askers: "set[_Open[K, V]] | None" = None


class _Spent(Exception):
    """What is asked for depends on more than the budget."""


class Solver(Generic[K, V]):
    """The least solution of `value(key) = transfer(key)`, key by key.

    `transfer` asks for the values that it needs by calling the solver again, and is monotone in them. Each strongly
    connected component is iterated, dependencies first, until nothing changes; only then are its values kept. So an
    answer depends neither on who asked first nor on what was asked before.

    What depends on more than `budget` keys, itself among them, is unknown; so is what depends on that. Keys are counted
    and not steps, as many whatever was asked before: where those that are known already make the difference, they are
    forgotten, and the question is asked again.

    Another solver may be asked too, unless that asks this one: then both are one solver, with a key for each question.

    Attributes:
      steps: the evaluations of `transfer` so far.
    """

    def __init__(
        self, transfer: Callable[[K], V], lattice: Lattice[V], budget: int = MOST_QUESTIONS, nested: int = MOST_NESTED
    ) -> None:
        self.steps = 0
        # An object that solves with one of its methods is not a cycle: it is let go without the collector.
        self._owner = ref(transfer.__self__) if isinstance(transfer, MethodType) else None
        self._transfer: Callable[..., V] = transfer.__func__ if isinstance(transfer, MethodType) else transfer
        self._lattice, self._budget, self._nested = lattice, budget, nested
        self._known: dict[K, V] = {}
        self._beyond: set[K] = set()
        self._open: dict[K, _Open[K, V]] = {}
        self._stack: list[_Open[K, V]] = []
        self._running: list[_Open[K, V]] = []
        self._due: list[int] = []

    def __call__(self, key: K) -> V:
        """The least solution at `key`; inside of `transfer`, what is known of it so far."""
        if key in self._known:
            return self._known[key]
        if not self._running:
            return self._asked(key)
        node = self._open.get(key)
        if node is None:
            node = self._opened(key)
            if len(self._running) >= self._nested:
                node.low = 0  # all that wait for it stay open
                self._defer(node)
            else:
                self._settle(node)
                if key in self._known:
                    return self._known[key]
        asker = self._running[-1]
        if node.askers is None:
            node.askers = set()
        node.askers.add(asker)
        asker.low = min(asker.low, node.low)
        return node.value

    def _asked(self, key: K) -> V:
        """Answers a question from outside."""
        while key not in self._beyond:
            was_known = bool(self._known)
            try:
                self._settle(self._opened(key))
            except _Spent:
                self._known.clear()
                if not was_known:
                    self._beyond.add(key)
            else:
                return self._known[key]
        return self._lattice.unknown

    def _opened(self, key: K) -> _Open[K, V]:
        place = len(self._stack)
        if key in self._beyond:
            self._beyond.update(node.key for node in self._running)
            raise _Spent
        if place + len(self._known) >= self._budget:
            raise _Spent
        node = self._open[key] = _Open(key, self._lattice.bottom, place, place)
        self._stack.append(node)
        return node

    def _defer(self, node: _Open[K, V]) -> None:
        if not node.is_due:
            node.is_due = True
            heappush(self._due, -node.place)  # what was found last is a dependency of what was found before

    def _settle(self, node: _Open[K, V]) -> None:
        """Evaluates `node`, and if it is the first of its component, the component until nothing changes."""
        try:
            self._evaluate(node)
            while node.low == node.place and self._due and -self._due[0] >= node.place:
                member = self._stack[-heappop(self._due)]
                self._evaluate(member)
                node.low = min(node.low, member.low)
        except BaseException:
            self._close(node.place)
            raise
        else:
            if node.low != node.place:
                return
            if self._stack[-1] is node and not self._due:  # a component of its own, as most are
                del self._stack[-1], self._open[node.key]
                node.askers = None
                self._known[node.key] = node.value
            else:
                self._close(node.place, self._known)

    def _evaluate(self, node: _Open[K, V]) -> None:
        self.steps += 1
        node.is_due = False
        self._running.append(node)
        try:
            found = self._transfer(node.key) if self._owner is None else self._transfer(self._owner(), node.key)
        finally:
            self._running.pop()
        value = found if node.value is self._lattice.bottom else self._lattice.join(node.value, found)
        if value != node.value:
            node.value = value
            for asker in node.askers or ():
                self._defer(asker)

    def _close(self, place: int, known: dict[K, V] | None = None) -> None:
        """Forgets what is open from `place` on, except its values where they are final, which go to `known`."""
        while len(self._stack) > place:
            node = self._stack.pop()
            del self._open[node.key]
            node.askers = None  # those of a cycle hold one another
            if known is not None:
                known[node.key] = node.value
        while self._due and -self._due[0] >= place:
            heappop(self._due)
