"""Processes that share work: each shard is done by whoever is free, and the answers come in the order of the shards."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import util
from types import TracebackType
from typing import Self, TypeVar

from jaxfix.drivers import overtime

T = TypeVar("T")
R = TypeVar("R")

VARIABLE = "JAXFIX_WORKERS"


class Crew:
    """As many processes as there are processors, started when there is work for more than one.

    `JAXFIX_WORKERS` says otherwise; with 1 all is done in this process. The answers are the same.
    """

    def __init__(self) -> None:
        self._size = _wanted()
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        _collect_seldom()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        gc.unfreeze()
        gc.enable()
        if self._pool is not None:
            self._pool.shutdown(wait=error is None, cancel_futures=True)

    def __call__(self, work: Callable[[T], R], shards: Sequence[T]) -> Iterator[R]:
        """What `work` makes of each shard; `work`, shards and answers travel between processes.

        A process that dies, as for want of memory, leaves its shards to this one, as do those that cannot be started.
        """
        done = 0
        try:
            for answer in self._shared(work, shards) if self._size > 1 and len(shards) > 1 else ():
                yield answer
                done += 1
        except BrokenProcessPool:
            self._size, self._pool = 1, None
        yield from map(partial(_done, work), shards[done:])

    def _shared(self, work: Callable[[T], R], shards: Sequence[T]) -> Iterator[R]:
        """The answers of the other processes; none where the system does not let them work together."""
        try:
            return self._started().map(partial(_done, work), shards)
        except (OSError, ImportError, NotImplementedError):
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
            self._size, self._pool = 1, None
            return iter(())

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            leave_out_working_folder()
            context = multiprocessing.get_context(_method())
            self._pool = ProcessPoolExecutor(self._size, mp_context=context, initializer=_begin)
        return self._pool


def leave_out_working_folder() -> None:
    """Has processes that `spawn` starts import nothing of the working folder, which may be a stranger's.

    Python would look for its own modules there first, and multiprocessing has no public way to say `-P`.
    """
    util.__dict__["_args_from_interpreter_flags"] = _flags


def _flags() -> list[str]:
    found: list[str] = subprocess.__dict__["_args_from_interpreter_flags"]()
    return found if sys.flags.safe_path else [*found, "-P"]


def _wanted() -> int:
    said = os.environ.get(VARIABLE, "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    return min(_usable(), 61)  # more processes than that Windows cannot wait for


def _usable() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _method() -> str:
    """A copy of this process starts at once; where another thread runs, or elsewhere than on Linux, it is not safe."""
    can_be_copied = sys.platform == "linux" and threading.active_count() == 1
    return "fork" if can_be_copied else "spawn"


def _collect_seldom() -> None:
    """Has cycles collected between two shards alone, and what is loaded passed over: trees hold none."""
    gc.freeze()
    gc.disable()


def _done(work: Callable[[T], R], shard: T) -> R:
    answer = work(shard)
    if not gc.isenabled():
        gc.collect(0)  # what outlives its shard is not looked at again and again
    return answer


def _begin() -> None:
    """Leaves Ctrl-C to the process that waits for the answers."""
    overtime.begin()
    _collect_seldom()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        signal.signal(number, signal.SIG_DFL)
