"""Records of steps: each of the first ones by itself, then fewer and fewer."""

import threading
import time
from types import CodeType
from typing import Any

from .loops import Loop
from .memory import LiveArrays, rss_bytes
from .record import Record

_SINGLY = 200  # steps that are recorded one by one
_MOST_RECORDS = 1000


class Track:
    """The steps of one loop, or of one function: the record of each is a `Step`."""

    def __init__(self, where: str, record: Record, live: LiveArrays) -> None:
        self.where, self.record, self.live = where, record, live
        self.thread = threading.get_ident()
        self.steps: list[dict[str, Any]] = []
        self.number = 0
        self.span = 1
        self.open = False
        self.seconds = 0.0  # of the steps after the first, which warms up

    def begin(self, since: float | None = None) -> None:
        """A step begins; `since` is its `perf_counter` if it began before it was noticed."""
        self.open = True
        self.number += 1
        self.compiles, self.traces = 0, self.record.traces
        self.started = time.perf_counter() if since is None else since

    def end(self) -> None:
        """The open step, if any, ends."""
        if not self.open:
            return
        self.open = False
        seconds = time.perf_counter() - self.started
        if self.number > 1:
            self.seconds += seconds
        counts = {"compiles": self.compiles, "traces": self.record.traces - self.traces, "iterations": 1}
        entry = counts | {"seconds": seconds, "at_s": self.record.age()}
        last = self.steps[-1] if self.steps else None
        if last is not None and self.number > _SINGLY and last["iterations"] < self.span and "rss_bytes" not in last:
            _join(last, entry)
        else:
            self.steps.append(entry)
            last = entry
        if last["iterations"] >= (self.span if self.number > _SINGLY else 1):
            self._sample(last)
            if len(self.steps) >= _MOST_RECORDS:
                self._thin()

    def holds(self, code: CodeType, line: int) -> bool:
        """Whether a line of `code` is in a step, or calls what is."""
        return code.co_qualname == self.where.rpartition(":")[2] or code.co_name == self.where

    def finished(self) -> list[dict[str, Any]]:
        """All steps, the open one included."""
        self.end()
        if self.steps and "rss_bytes" not in self.steps[-1]:
            self._sample(self.steps[-1])
        return self.steps

    def _sample(self, step: dict[str, Any]) -> None:
        step["rss_bytes"] = rss_bytes()
        step["live_arrays"] = self.live.count()

    def _thin(self) -> None:
        """Joins the steps after the first ones two by two."""
        kept, rest = self.steps[:_SINGLY], self.steps[_SINGLY:]
        for index in range(0, len(rest) - 1, 2):
            _join(rest[index], rest[index + 1])
        self.steps = kept + rest[::2]
        self.span *= 2


def _join(step: dict[str, Any], later: dict[str, Any]) -> None:
    """Has `step` stand for both: its counts are those of the busiest, its time is their mean, compiles are added up."""
    both = step["iterations"] + later["iterations"]
    seconds = step["seconds"] * step["iterations"] + later["seconds"] * later["iterations"]
    counts = {name: max(step[name], later[name]) for name in ("compiles", "traces")}
    together = sum(each.get("together", each["compiles"]) for each in (step, later))
    step.update(later | counts | {"iterations": both, "seconds": seconds / both, "together": together})


class LoopTrack(Track):
    """The iterations of one loop, in one thread."""

    def __init__(self, loop: Loop, code: CodeType, where: str, record: Record, live: LiveArrays) -> None:
        super().__init__(where, record, live)
        self.loop, self.code = loop, code
        self.compile_s = 0.0
        self.early = False  # a step that began in the head, where a loader may compile
        self.target: int | None = None

    def compiled(self, line: int | None, seconds: float) -> int | None:
        """Something compiles at `line` of the function, or in another thread; says in which step."""
        if line is not None and not self.open:
            self.begin()
        if line is not None and line == self.loop.head != self.loop.body:
            self.early = True
        if not self.open:
            return None
        self.compiles += 1
        if self.number > 1:
            self.compile_s += seconds
        return self.number

    def line(self, line: int) -> bool:
        """`line` is about to run; says whether it matters."""
        loop = self.loop
        if line == loop.head and not self.early:
            self.leave()
        if line == loop.body:
            if loop.head is None:
                self.end()
            if not self.open:
                self.begin()
            self.early = False
        elif self.open and not loop.holds(line):
            self.leave()
        return line in (loop.head, loop.body)

    def again(self) -> None:
        """The next iteration of a loop in one line begins, or its end."""
        self.end()
        self.begin()

    def leave(self) -> None:
        """The loop is left, or decides whether to go on."""
        if self.loop.is_one_line and self.open and not self.compiles and self.number > 1:
            self.open = False  # nothing had begun: the loop is exhausted
            self.number -= 1
        self.end()
        self.early = False

    def holds(self, code: CodeType, line: int) -> bool:
        """Whether a line of `code` is in the loop."""
        return code is self.code and self.loop.holds(line)

    def finished(self) -> list[dict[str, Any]]:
        """All steps; that of a program which ended within its loop is the last one."""
        self.leave()
        return super().finished()
