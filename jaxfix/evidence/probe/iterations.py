"""Sees each iteration of a loop, without a hook on anything else."""

import inspect
import sys
import threading
from types import CodeType, FrameType
from typing import Any

from .files import is_jax
from .tracks import LoopTrack

_GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_MOST_CODES = 1 << 16

# of Python 3.12 and later
_monitoring: Any = getattr(sys, "monitoring", None)


class Monitoring:
    """Line events of Python 3.12 and later, local to the code of a loop."""

    def __init__(self) -> None:
        self.tool: int | None = None
        self.tracks: dict[CodeType, list[LoopTrack]] = {}
        self.jumps: dict[CodeType, dict[int, int]] = {}

    def watch(self, track: LoopTrack, frame: FrameType) -> bool:
        """Counts the iterations of the loop from here on; says whether that could be done."""
        events = _monitoring.events
        if self.tool is None and not self._start():
            return False
        self.tracks.setdefault(track.code, []).append(track)
        wanted = events.LINE | events.PY_RETURN
        if any(each.loop.is_one_line for each in self.tracks[track.code]):
            wanted |= events.JUMP
        # Lines that another loop of this function did not ask for are off: start again.
        _monitoring.set_local_events(self.tool, track.code, 0)
        _monitoring.set_local_events(self.tool, track.code, wanted)
        return True

    def resume(self) -> None:
        """Goes on where another thread has kept it from that: nothing can."""

    def _start(self) -> bool:
        events = _monitoring.events
        self.tool = next((number for number in (3, 4) if _monitoring.get_tool(number) is None), None)
        if self.tool is None:
            return False
        _monitoring.use_tool_id(self.tool, "jaxfix steps")
        _monitoring.register_callback(self.tool, events.LINE, self._line)
        _monitoring.register_callback(self.tool, events.JUMP, self._jump)
        _monitoring.register_callback(self.tool, events.PY_RETURN, self._return)
        return True

    def _line(self, code: CodeType, line: int) -> Any:
        matters = False
        for track in self.tracks.get(code, ()):
            matters |= line in (track.loop.head, track.loop.body)
            if track.thread == threading.get_ident():
                track.line(line)
        return None if matters else _monitoring.DISABLE

    def _jump(self, code: CodeType, offset: int, to: int) -> Any:
        if to > offset:
            return _monitoring.DISABLE
        line = self._lines(code).get(offset)
        matters = False
        for track in self.tracks.get(code, ()):
            if not track.loop.is_one_line or line != track.loop.head:
                continue
            # A comprehension within the line jumps too, but not as far back.
            track.target = to if track.target is None else min(to, track.target)
            if to == track.target:
                matters = True
                if track.thread == threading.get_ident():
                    track.again()
        return None if matters else _monitoring.DISABLE

    def _lines(self, code: CodeType) -> dict[int, int]:
        if code not in self.jumps:
            spans = code.co_lines()
            self.jumps[code] = {i: line for start, end, line in spans for i in range(start, end) if line is not None}
        return self.jumps[code]

    def _return(self, code: CodeType, _: int, value: object) -> Any:
        for track in self.tracks.get(code, ()):
            if track.thread == threading.get_ident():
                track.leave()


class Tracing:
    """The tracing of Python 3.11, on the frames of a loop alone.

    Whatever is traced runs at half its speed, line by line or not: it is off while jax's own functions run.
    """

    def __init__(self) -> None:
        self.tracks: dict[CodeType, list[LoopTrack]] = {}
        self.watched: set[int] = set()  # by `id`: the hash of a code object is that of all its instructions
        self.jax: dict[int, tuple[CodeType, bool]] = {}
        self.lost: int | None = None
        # kept: Python 3.11 calls what it traces with after a collection of garbage that may have ended the tracing
        self.entering, self.within = self._enter, self._local

    def watch(self, track: LoopTrack, frame: FrameType) -> bool:
        """Counts the iterations of the loop from here on; says whether that could be done."""
        tracing = sys.gettrace()
        if tracing is not None and tracing != self.entering:
            return False  # a debugger or coverage was here first
        self.tracks.setdefault(track.code, []).append(track)
        self.watched.add(id(track.code))
        frame.f_trace = self.within
        if tracing is None:
            sys.settrace(self.entering)
        return True

    def resume(self) -> None:
        """Goes on where another thread has kept it from that."""
        if self.lost is not None and self.lost == threading.get_ident():
            self.lost = None
            self.again()

    def again(self) -> None:
        """Traces this thread again, unless another tracer does."""
        if sys.gettrace() is None:
            sys.settrace(self.entering)

    def _enter(self, frame: FrameType, event: str, value: object) -> Any:
        code = frame.f_code
        if id(code) in self.watched:
            return self.within
        if not self._is_jax(code):
            return None
        sys.settrace(None)
        return _Pause(self)

    def _is_jax(self, code: CodeType) -> bool:
        """Whether `code` is a jax function that ends before its caller goes on, as a generator does not."""
        known = self.jax.get(id(code))
        if known is None or known[0] is not code:
            if len(self.jax) > _MOST_CODES:
                self.jax.clear()
            known = self.jax[id(code)] = code, not code.co_flags & _GENERATOR and is_jax(code.co_filename)
        return known[1]

    def _local(self, frame: FrameType, event: str, value: object) -> Any:
        for track in self.tracks.get(frame.f_code, ()):
            if track.thread == threading.get_ident():
                if event == "line":
                    self._line(track, frame.f_lineno)
                elif event == "return":
                    track.leave()
        return self.within

    def _line(self, track: LoopTrack, line: int) -> None:
        if track.loop.is_one_line and line == track.loop.head and track.open:
            track.again()
        else:
            track.line(line)


class _Pause:
    """Turns tracing on again when the frame ends that holds it as its `f_trace`."""

    def __init__(self, tracing: Tracing) -> None:
        self.tracing, self.thread = tracing, threading.get_ident()

    def __call__(self, frame: FrameType, event: str, value: object) -> None:
        sys.settrace(None)  # a loop was found by now

    def __del__(self) -> None:
        if self.thread == threading.get_ident():
            self.tracing.again()
        else:
            self.tracing.lost = self.thread  # another thread held the frame: only its own can go on
