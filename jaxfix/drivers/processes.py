"""Other processes of this program; imported where there is work for more than one."""

import multiprocessing
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import util
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Processes:
    """A number of processes, each of which runs `begin` first.

    Attributes:
      is_broken: whether one of them has died, as for lack of memory, or could not be started: they work no more.
    """

    def __init__(self, size: int, begin: Callable[[], None]) -> None:
        self._size, self._begin = size, begin
        self._pool: ProcessPoolExecutor | None = None
        self.is_broken = False

    def answers(self, work: Callable[[T], R], shards: Iterable[T]) -> Iterator[R]:
        """The answers in the order of the shards: fewer where they break down."""
        try:
            yield from self._handed(work, shards)
        except BrokenProcessPool:
            self.is_broken = True

    def close(self, *, wait: bool) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=wait, cancel_futures=True)

    def _handed(self, work: Callable[[T], R], shards: Iterable[T]) -> Iterator[R]:
        """None where the system does not let them work together; each shard is taken when one of them is soon free."""
        waiting: deque[Future[R]] = deque()
        for shard in shards:
            try:
                waiting.append(self._started_pool().submit(work, shard))
            except (OSError, ImportError, NotImplementedError):
                self.close(wait=False)
                self.is_broken = True
                return
            if len(waiting) > 2 * self._size:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _started_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            leave_out_working_folder()
            context = multiprocessing.get_context(_method())
            self._pool = ProcessPoolExecutor(
                self._size, mp_context=context, initializer=_started, initargs=(self._begin,)
            )
        return self._pool


def leave_out_working_folder() -> None:
    """Has processes that `spawn` starts import nothing of the working folder, which may be a stranger's.

    Python would look for its own modules there first, and multiprocessing has no public way to say `-P`.
    """
    util.__dict__["_args_from_interpreter_flags"] = _flags


def _flags() -> list[str]:
    found: list[str] = subprocess.__dict__["_args_from_interpreter_flags"]()
    return found if sys.flags.safe_path else [*found, "-P"]


def _method() -> str:
    """A copy of this process starts at once; where another thread runs, or elsewhere than on Linux, it is not safe."""
    can_be_copied = sys.platform == "linux" and threading.active_count() == 1
    return "fork" if can_be_copied else "spawn"


def _started(begin: Callable[[], None]) -> None:
    """Leaves Ctrl-C to the process that waits for the answers."""
    begin()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        signal.signal(number, signal.SIG_DFL)
