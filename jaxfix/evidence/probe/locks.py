"""Whether a function takes the locks that it has: one thread alone cannot tell."""

import threading
from collections.abc import Callable
from typing import Any

from .supplied import Change, Supplied

_KINDS = (type(threading.Lock()), type(threading.RLock()), threading.Condition, threading.Semaphore)


class Watched:
    """A lock that notes whether it was taken."""

    def __init__(self, lock: Any) -> None:
        self.lock, self.is_taken = lock, False

    def acquire(self, *args: Any, **keywords: Any) -> Any:
        self.is_taken = True
        return self.lock.acquire(*args, **keywords)

    def __enter__(self) -> Any:
        self.is_taken = True
        return self.lock.__enter__()

    def __exit__(self, *error: Any) -> Any:
        return self.lock.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.lock, name)


def is_lock(value: Any) -> bool:
    return isinstance(value, _KINDS)


def watching(name: str) -> Change:
    """The lock that is given there notes for one call whether it is taken."""
    watched: list[Watched] = []

    def made(lock: Any) -> Watched:
        watched.append(Watched(lock))
        return watched[-1]

    def put(given: Supplied) -> Callable[[], None]:
        return given.put(name, made)

    return Change(put, lambda value: {"takes the lock": watched[-1].is_taken, "returned": value})


def watching_global(name: str, globals_: dict[str, Any]) -> Change:
    """As `watching`, of a lock of a module."""
    watched = Watched(globals_[name])

    def put(given: Supplied) -> Callable[[], None]:
        globals_[name] = watched
        return lambda: globals_.__setitem__(name, watched.lock)

    return Change(put, lambda value: {"takes the lock": watched.is_taken, "returned": value})
