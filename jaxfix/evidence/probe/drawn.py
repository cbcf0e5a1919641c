"""How far a program has moved the generators of random numbers that its modules share."""

import hashlib
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from .arrival import when_imported

_AS_IT_BEGAN = "as the process began"


class Drawn:
    """Compares both generators with what they were when the process had them first: unseeded, each run has another."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._moved = frozenset[str]()

    def start(self) -> None:
        """Notes the states of what is there, and of what comes."""
        self.reset()
        when_imported("numpy.random", self._arrived)

    def reset(self) -> None:
        """Counts from here; a forked child has a seed of its own."""
        self._first = dict(_states())

    def states(self) -> Iterator[tuple[str, str]]:
        """Each by a label; one that nothing was drawn from is the same in every run."""
        for label, state in _states():
            yield label, _AS_IT_BEGAN if state == self._first.get(label) else state

    def jax_begins(self) -> None:
        """Notes what was drawn before jax is imported, which draws from NumPy's itself."""
        self._moved = frozenset(label for label, state in self.states() if state != _AS_IT_BEGAN)

    def jax_arrived(self) -> None:
        """Counts what jax has drawn as the beginning."""
        self._first |= {label: state for label, state in _states() if label not in self._moved}

    def _arrived(self) -> None:
        self._first = dict(_states()) | self._first


def drawn_once(function: Callable[[], object], jitted: Callable[[], object]) -> str | None:
    """What a function draws from at each call, but not once it is jitted and traced, in words; None if nothing.

    What moves while nothing is called, or not by every call, is another thread's.
    """
    started = time.perf_counter()
    moved = _moved_by(function)
    if not moved:
        return None
    seconds = time.perf_counter() - started
    for call, is_wanted in ((jitted, False), (lambda: time.sleep(seconds), False), (function, True)):
        now = _moved_by(call)
        moved = moved & now if is_wanted else moved - now
    return min((label.removeprefix("the state of ") for label in moved), default=None)


def _moved_by(call: Callable[[], object]) -> frozenset[str]:
    before = dict(_states())
    call()
    return frozenset(label for label, state in _states() if before.get(label, state) != state)


def _states() -> Iterator[tuple[str, str]]:
    numpy = sys.modules.get("numpy.random")
    yield "the state of `random`", _digest(random.getstate())
    if numpy is not None and hasattr(numpy, "get_state"):  # not while it is imported
        yield "the state of `numpy.random`", _digest(numpy.get_state())


def _digest(state: Any) -> str:
    return hashlib.sha256(pickle.dumps(state)).hexdigest()
