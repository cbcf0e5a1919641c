"""Processes that share work: a free process takes the next shard, and the answers come in the order of the shards."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from jaxfix.drivers import overtime
from jaxfix.engine.project import Shards

if TYPE_CHECKING:
    from jaxfix.drivers.processes import Processes

T = TypeVar("T")
R = TypeVar("R")

VARIABLE = "JAXFIX_WORKERS"


class Crew:
    """As many processes as there are processors, started when there is work for more than one.

    `JAXFIX_WORKERS` says otherwise; with 1 all is done in this process. The answers are the same.
    """

    def __init__(self) -> None:
        self._size = _wanted()
        self._others: Processes | None = None

    def __enter__(self) -> Self:
        _collect_seldom()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        gc.unfreeze()
        gc.enable()
        if self._others is not None:
            self._others.close(wait=error is None)

    def __call__(self, work: Callable[[T], R], shards: Shards[T]) -> Iterator[R]:
        """What `work` makes of each shard; `work`, shards and answers travel between processes.

        A process that dies, as for lack of memory, leaves its shards to this one, as do those that cannot be started.
        """
        done = 0
        if self._size > 1 and len(shards) > 1:
            others = self._others = self._others or self._called()
            for answer in others.answers(partial(_done, work), shards):
                yield answer
                done += 1
            if others.is_broken:
                self._size, self._others = 1, None
        yield from map(partial(_done, work), islice(shards, done, None))

    def _called(self) -> "Processes":
        from jaxfix.drivers.processes import Processes

        return Processes(self._size, _begin)


def _wanted() -> int:
    said = os.environ.get(VARIABLE, "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    return min(_usable(), 61)  # more processes than that Windows cannot wait for


def _usable() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _collect_seldom() -> None:
    """Has cycles collected between two shards alone, and skips what is loaded: trees hold none."""
    gc.freeze()
    gc.disable()


def _done(work: Callable[[T], R], shard: T) -> R:
    answer = work(shard)
    if not gc.isenabled():
        gc.collect(0)  # what outlives its shard is not analysed repeatedly
    return answer


def _begin() -> None:
    overtime.begin()
    _collect_seldom()
