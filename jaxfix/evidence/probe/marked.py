"""Steps that the user names: the calls of a function."""

import os
import sys
import threading
from types import CodeType, FrameType
from typing import Any

from .tracks import Track

# of Python 3.12 and later
_monitoring: Any = getattr(sys, "monitoring", None)


class Marked:
    """The outermost calls of a function that is named, as `name` or `module:qualified name`, outside of any trace."""

    def __init__(self, step: str, track: Track) -> None:
        module, _, self.qualname = step.rpartition(":")
        self.module = module or None
        self.track = track
        self.depth = 0

    def start(self) -> None:
        """From here on its calls are steps."""
        if sys.version_info >= (3, 12):
            self._monitor()
        else:
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)

    def _monitor(self) -> None:
        events = _monitoring.events
        tool = next((number for number in (3, 4, 2) if _monitoring.get_tool(number) is None), None)
        if tool is None:
            return
        _monitoring.use_tool_id(tool, "jaxfix steps")

        def starts(code: CodeType, _: int) -> Any:
            if not self._is_it(code, sys._getframe(1)):
                return _monitoring.DISABLE
            _monitoring.set_local_events(tool, code, events.PY_RETURN)
            return self._enter()

        def unwinds(code: CodeType, _: int, error: object) -> None:
            if self.depth and self._is_it(code, sys._getframe(1)):
                self._leave()

        _monitoring.register_callback(tool, events.PY_START, starts)
        _monitoring.register_callback(tool, events.PY_RETURN, lambda code, _, value: self._leave())
        _monitoring.register_callback(tool, events.PY_UNWIND, unwinds)
        _monitoring.set_events(tool, events.PY_START | events.PY_UNWIND)

    def _profile(self, frame: FrameType, event: str, value: object) -> None:
        if event in ("call", "return") and self._is_it(frame.f_code, frame):
            self._enter() if event == "call" else self._leave()

    def _is_it(self, code: CodeType, frame: FrameType) -> bool:
        if code.co_qualname != self.qualname and (self.module or code.co_name != self.qualname):
            return False
        name = frame.f_globals.get("__name__")
        file = os.path.splitext(os.path.basename(code.co_filename))[0]
        return self.module is None or name == self.module or (name == "__main__" and file == self.module.split(".")[-1])

    def _enter(self) -> None:
        if threading.get_ident() != self.track.thread:
            return
        self.depth += 1
        if self.depth == 1 and not _is_tracing():
            self.track.begin()

    def _leave(self) -> None:
        if threading.get_ident() != self.track.thread:
            return
        self.depth -= 1
        if self.depth == 0:
            self.track.end()


def _is_tracing() -> bool:
    clean = getattr(sys.modules.get("jax._src.core"), "trace_state_clean", None)
    return clean is not None and not clean()
