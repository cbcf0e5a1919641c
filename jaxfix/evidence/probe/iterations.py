"""Sees each iteration of a loop, without a hook on anything else."""

import sys
import threading
from types import CodeType, FrameType
from typing import Any

from .tracks import LoopTrack

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
        # Lines that another loop of this function did not ask for are off: begin anew.
        _monitoring.set_local_events(self.tool, track.code, 0)
        _monitoring.set_local_events(self.tool, track.code, wanted)
        return True

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
    """The tracing of Python 3.11, on the frames of a loop alone."""

    def __init__(self) -> None:
        self.tracks: dict[CodeType, list[LoopTrack]] = {}

    def watch(self, track: LoopTrack, frame: FrameType) -> bool:
        """Counts the iterations of the loop from here on; says whether that could be done."""
        tracing = sys.gettrace()
        if tracing is not None and tracing != self._enter:
            return False  # a debugger or coverage was here first
        self.tracks.setdefault(track.code, []).append(track)
        frame.f_trace = self._local
        if tracing is None:
            sys.settrace(self._enter)
        return True

    def _enter(self, frame: FrameType, event: str, value: object) -> Any:
        return self._local if frame.f_code in self.tracks else None

    def _local(self, frame: FrameType, event: str, value: object) -> Any:
        for track in self.tracks.get(frame.f_code, ()):
            if track.thread == threading.get_ident():
                if event == "line":
                    self._line(track, frame.f_lineno)
                elif event == "return":
                    track.leave()
        return self._local

    def _line(self, track: LoopTrack, line: int) -> None:
        if track.loop.is_one_line and line == track.loop.head and track.open:
            track.again()
        else:
            track.line(line)
