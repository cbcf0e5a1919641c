"""Finds the steps of a program: iterations of its loop, calls of a named function, or repeated compiles of one line."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from .iterations import Monitoring, Tracing
from .loops import loop_around
from .marked import Marked
from .memory import LiveArrays, rss_bytes
from .record import Record
from .settings import Settings
from .tracks import LoopTrack, Track

_MOST_LOOPS = 16
_FEW = 3  # a pattern takes so many


class Steps:
    """Watches the loops in which something compiles, or the calls of the function that `settings.step` names."""

    def __init__(self, settings: Settings, record: Record, shown: Callable[[str], str]) -> None:
        self.settings, self.record, self.shown = settings, record, shown
        self.live = LiveArrays()
        self.marked: Marked | None = None
        self.hook = Monitoring() if sys.version_info >= (3, 12) else Tracing()
        self.reset()

    def reset(self) -> None:
        """Forgets what happened in this process so far."""
        self.tracks: list[LoopTrack] = []
        self.taken: Track | None = None
        self.done = False

    def start(self) -> None:
        """From here on steps are found."""
        if self.settings.explain and self.settings.step is not None:
            self.marked = Marked(self.settings.step, Track(self.settings.step, self.record, self.live))
            self.marked.start()

    def compiled(self, entry: dict[str, Any], frames: list[FrameType], seconds: float) -> None:
        """Something was compiled in the user's `frames`, the innermost first; says in `entry` in which step."""
        if not self.settings.explain:
            return
        self.hook.resume()
        if self.marked is not None:
            if self.marked.track.open:
                self.marked.track.compiles += 1
                entry["step"] = self.marked.track.number
            return
        self._find(frames, seconds)
        if not self.tracks:
            entry["rss_bytes"] = rss_bytes()
        here = {frame.f_code: frame.f_lineno for frame in frames}
        mine = threading.get_ident()
        numbers = {}
        for track in self.tracks:
            line = here.get(track.code) if track.thread == mine else None
            if track.thread == mine and (line is None or not track.loop.holds(line)):
                track.leave()  # by an exception, perhaps
                continue
            number = track.compiled(line, seconds)
            if number is not None:
                numbers[track.where] = number
        entry["steps"] = numbers

    def is_step(self, code: CodeType, line: int) -> bool:
        """Whether a line is in what turned out to be the step."""
        return self.taken is not None and self.taken.holds(code, line)

    def finish(self) -> None:
        """Decides what the steps were, and puts them into the record."""
        if not self.settings.explain or self.done:
            return
        self.done = True
        if self.record.steps:
            return  # calls of rewritten functions are the steps
        if self.marked is not None:
            self._take(self.marked.track)
        else:
            for track in self.tracks:
                track.finished()
            best = max(self.tracks, key=_weight, default=None)
            if best is not None and best.steps:
                self._take(best)
                for entry in self.record.compiles:
                    entry["step"] = entry.get("steps", {}).get(best.where)
            else:
                self._from_pattern()
        for entry in self.record.compiles:
            for name in ("steps", "rss_bytes"):
                entry.pop(name, None)

    def _take(self, track: Track) -> None:
        steps = track.finished()
        self.record.steps = steps
        self.record.where_steps = track.where if steps else None
        self.taken = track if steps else None

    def _find(self, frames: list[FrameType], seconds: float) -> None:
        for frame in reversed(frames):
            code = frame.f_code
            first = code.co_firstlineno if code.co_name != "<module>" else 1
            loop = loop_around(code.co_filename, first, frame.f_lineno)
            if loop is None:
                continue
            known = any(track.code is code and track.loop == loop for track in self.tracks)
            if not known and len(self.tracks) < _MOST_LOOPS:
                track = LoopTrack(loop, code, f"{self.shown(code.co_filename)}:{loop.first}", self.record, self.live)
                if self.hook.watch(track, frame):
                    self.tracks.append(track)
                    track.begin(time.perf_counter() - seconds)
            return

    def _from_pattern(self) -> None:
        """Steps from a line that compiled the same program repeatedly: each compile of it begins one."""
        compiles = self.record.compiles
        counts = Counter((tuple(entry["chain"]), entry["program"]) for entry in compiles)
        place, count = max(counts.items(), key=lambda pair: pair[1], default=(None, 0))
        if count < _FEW:
            return
        starts = [i for i, entry in enumerate(compiles) if (tuple(entry["chain"]), entry["program"]) == place]
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(compiles)], strict=True), 1):
            for entry in compiles[start:end]:
                entry["step"] = number
            ended = compiles[end] if end < len(compiles) else None
            at_s = ended["at_s"] if ended else self.record.age()
            rss = ended.get("rss_bytes", 0) if ended else rss_bytes()
            seconds = at_s - compiles[start]["at_s"]
            counted = {"compiles": end - start, "traces": 0, "rss_bytes": rss}
            self.record.steps.append(counted | {"seconds": seconds, "at_s": at_s, "iterations": 1})
        first = compiles[starts[0]]
        cell = f":cell {first['cell']}" if first.get("cell") is not None else ""
        self.record.where_steps = f"each compile of {first['path']}{cell}:{first['line']}"


def _weight(track: LoopTrack) -> tuple[bool, float]:
    """The loop of a program is the one that it spends its time in, compiles aside, if that repeats at all."""
    return track.number >= _FEW, track.seconds - track.compile_s
