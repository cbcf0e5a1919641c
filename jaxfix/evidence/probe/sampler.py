"""Looks now and then where the main thread is, and so says which line its time goes into."""

import _thread
import os
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType

from .files import is_jax, real
from .spending import EAGER, OWN, PUT, TRACING, Spending

_INTERVALS = ((10.0, 0.004), (60.0, 0.01), (float("inf"), 0.02))
"""Seconds between two looks, by how long the process has run."""
_SWITCH_S = 0.0005
_DEFAULT_SWITCH_S = 0.005
"""Python hands the interpreter over when a thread waits, else after this time: so much is taken for what comes next."""

# jax traces or compiles as long as one of these runs
_COMPILING = frozenset({
    "_cached_trace_to_jaxpr", "_create_pjit_jaxpr", "_initial_style_jaxpr", "_initial_style_open_jaxpr",
    "_resolve_and_lower", "backend_compile", "backend_compile_and_load", "compile", "compile_or_get_cached",
    "from_hlo", "lower", "lower_sharding_computation", "make_jaxpr_f", "trace_to_jaxpr", "trace_to_jaxpr_dynamic",
    "trace_to_jaxpr_dynamic2", "trace_to_jaxpr_final", "trace_to_jaxpr_final2", "trace_to_jaxpr_nocache",
})  # fmt: skip
# of jax, but run for compiled functions too, or for none
_NEUTRAL = frozenset({"tree_util.py", "traceback_util.py", "api_util.py", "profiler.py", "util.py", "config.py"})
_TRANSFERS = os.path.join(real(os.path.dirname(__file__)), "transfers.py")

_PUTTING = frozenset({"array", "asarray", "device_put", "stage_value"})

_MEASURED, _TRACED, _PUT, _DISPATCHING, _ELSE = range(5)


class Sampler:
    """A thread of its own, which `threading` does not list."""

    def __init__(self, spending: Spending, dispatching: Callable[[], None] = lambda: None) -> None:
        self.spending, self.dispatching = spending, dispatching
        self.kinds: dict[tuple[str, str], int] = {}
        self.number = 0

    def start(self) -> None:
        """From here on the time of the main thread is shared out."""
        self.number += 1
        if sys.getswitchinterval() == _DEFAULT_SWITCH_S:
            sys.setswitchinterval(_SWITCH_S)
        _thread.start_new_thread(self._run, (self.number,))

    def stop(self) -> None:
        """Ends it."""
        self.number += 1
        if sys.getswitchinterval() == _SWITCH_S:
            sys.setswitchinterval(_DEFAULT_SWITCH_S)

    def _run(self, number: int) -> None:
        main = threading.main_thread().ident or 0
        began = last = time.perf_counter()
        while True:
            time.sleep(next(wait for until, wait in _INTERVALS if last - began < until))
            if self.number != number:
                return
            now = time.perf_counter()
            frame = sys._current_frames().get(main)
            if frame is not None:
                self._look(frame, now - last)
            del frame
            last = now

    def _look(self, frame: FrameType, seconds: float) -> None:
        """Shares out the time since the last look: it is taken for that of the line that runs now."""
        here = self.spending.user_frame(frame)
        if here is None:
            return
        inner = self._kinds(frame, here)
        if _MEASURED in inner:
            return  # by its own clock
        traced, outer = here if _TRACED in inner else None, here.f_back
        while outer is not None:
            if self._kind(outer.f_code) == _TRACED:
                traced = self.spending.user_frame(outer)  # that asked for it, not the one that is traced
            outer = outer.f_back
        kind = PUT if _PUT in inner else EAGER if _DISPATCHING in inner else OWN
        if kind == EAGER:
            self.dispatching()
        account = self.spending.account(kind if traced is None else TRACING, traced or here)
        if account is not None:
            account.sampled += seconds

    def _kinds(self, frame: FrameType | None, end: FrameType) -> set[int]:
        found = set()
        while frame is not None and frame is not end:
            found.add(self._kind(frame.f_code))
            frame = frame.f_back
        return found

    def _kind(self, code: CodeType) -> int:
        key = code.co_filename, code.co_name
        known = self.kinds.get(key)
        if known is None:
            known = self.kinds[key] = _kind_of(*key)
        return known


def _kind_of(file: str, name: str) -> int:
    if file == _TRANSFERS:
        return _MEASURED
    if not is_jax(file) or os.path.basename(file) in _NEUTRAL or name == "<module>":
        return _ELSE
    return _TRACED if name in _COMPILING else _PUT if name in _PUTTING else _DISPATCHING
