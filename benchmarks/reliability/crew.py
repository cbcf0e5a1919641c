"""Workers that may die: each examines one program at a time, and what kills it is reported."""

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_PROGRAMS_PER_WORKER = 500
"""So that what one worker remembers does not grow without end."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T, R]):
    """What became of a task: the result, or in words how its worker ended."""

    task: T
    result: R | None
    ended: str | None = None


def outcomes(work: Callable[[T], R], tasks: Iterator[T], *, workers: int, limit_s: float) -> Iterator[Outcome[T, R]]:
    """Does `tasks`, in whatever order, in processes of their own; one that takes longer than `limit_s` is ended."""
    found: SimpleQueue[Outcome[T, R] | None] = SimpleQueue()
    lock = threading.Lock()

    def next_task() -> T | None:
        with lock:
            return next(tasks, None)

    def lane() -> None:
        pool, done = _pool(), 0
        while (task := next_task()) is not None:
            try:
                found.put(Outcome(task, pool.submit(work, task).result(limit_s)))
                done += 1
            except TimeoutError:
                found.put(Outcome(task, None, f"takes longer than {limit_s:g} s"))
                done = _PROGRAMS_PER_WORKER
            except BrokenProcessPool:
                found.put(Outcome(task, None, "the process dies"))
                done = _PROGRAMS_PER_WORKER
            except Exception as error:
                found.put(Outcome(task, None, f"{type(error).__name__}: {error}"))
            if done >= _PROGRAMS_PER_WORKER:
                _close(pool)
                pool, done = _pool(), 0
        _close(pool)
        found.put(None)

    lanes = [threading.Thread(target=lane, daemon=True) for _ in range(workers)]
    for thread in lanes:
        thread.start()
    running = len(lanes)
    while running:
        outcome = found.get()
        if outcome is None:
            running -= 1
        else:
            yield outcome


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


def _close(pool: ProcessPoolExecutor) -> None:
    processes = list((pool._processes or {}).values())  # one that hangs does not hear `shutdown`
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
