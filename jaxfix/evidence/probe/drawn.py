"""How far a program has moved the generators of random numbers that its modules share."""

import contextlib
import hashlib
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
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
        for name, state in _states():
            yield f"the state of `{name}`", _AS_IT_BEGAN if state == self._first.get(name) else state

    def jax_begins(self) -> None:
        """Notes what was drawn before jax is imported, which draws from NumPy's itself."""
        self._moved = _moved_since(self._first)

    def jax_arrived(self) -> None:
        """Counts what jax has drawn as the beginning."""
        self._first |= {name: state for name, state in _states() if name not in self._moved}

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
    return min(moved, default=None)


@contextlib.contextmanager
def undrawn() -> Iterator[Callable[[], dict[str, str]]]:
    """Leaves the generators as they were; says which of them were drawn from in the block, and where they are."""
    kept = [(put, get()) for _, get, put in _generators()]
    began = dict(_states())
    try:
        yield lambda: {name: state for name, state in _states() if name in began and began[name] != state}
    finally:
        for put, state in kept:
            put(state)


def _moved_by(call: Callable[[], object]) -> frozenset[str]:
    before = dict(_states())
    call()
    return _moved_since(before)


def _moved_since(before: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name for name, state in _states() if before.get(name, state) != state)


def _states() -> Iterator[tuple[str, str]]:
    for name, get, _ in _generators():
        yield name, hashlib.sha256(pickle.dumps(get())).hexdigest()


def _generators() -> Iterator[tuple[str, Callable[[], Any], Callable[[Any], None]]]:
    """Each with what tells its state, and what sets it."""
    yield "random", random.getstate, random.setstate
    numpy = sys.modules.get("numpy.random")
    if numpy is not None and hasattr(numpy, "get_state"):  # not while it is imported
        yield "numpy.random", numpy.get_state, numpy.set_state
