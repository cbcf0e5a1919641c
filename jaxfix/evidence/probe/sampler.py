"""Looks now and then where the main thread is, and so says which line its time goes into."""

import _thread
import os
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType

from .files import is_jax, real
from .spending import EAGER, OWN, PUT, TRACING, Spending

_INTERVALS = ((10.0, 0.01), (float("inf"), 0.02))
"""Seconds between two looks, by how long the process has run."""
_SWITCH_S = 0.0005
_DEFAULT_SWITCH_S = 0.005
"""A thread gives up the interpreter when it waits, else after this time: so much is taken for what comes next."""

# jax traces or compiles as long as one of these runs
_COMPILING = frozenset({
    "_cached_trace_to_jaxpr", "_create_pjit_jaxpr", "_initial_style_jaxpr", "_initial_style_open_jaxpr",
    "_resolve_and_lower", "backend_compile", "backend_compile_and_load", "compile", "compile_or_get_cached",
    "from_hlo", "lower", "lower_sharding_computation", "make_jaxpr_f", "trace_to_jaxpr", "trace_to_jaxpr_dynamic",
    "trace_to_jaxpr_dynamic2", "trace_to_jaxpr_final", "trace_to_jaxpr_final2", "trace_to_jaxpr_nocache",
})  # fmt: skip
# of jax, but run for compiled functions too, or for none
_NEUTRAL = frozenset({"tree_util.py", "traceback_util.py", "api_util.py", "profiler.py", "util.py", "config.py"})
_HERE = real(os.path.dirname(__file__))
_OURS = tuple(
    os.path.join(_HERE, name)
    for name in ("transfers.py", "compiles.py", "tracks.py", "values.py", "watch.py", "samples.py", "shadow_call.py")
)
"""What works on its own account: the first by the clock, the others are not the program."""

_PUTTING = frozenset({"array", "asarray", "device_put", "stage_value"})

_IMPORTING = "<frozen importlib._bootstrap>"
_MEASURED, _TRACED, _PUT, _DISPATCHING, _USER, _IMPORTED, _ELSE = range(7)

Stack = list[tuple[CodeType, int]]


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
            # at once and no more: a frame that ends while this thread holds it ends here, with what depends on it
            stack = _stack(main)
            now = time.perf_counter()
            self._look(stack, now - last)
            last = now

    def _look(self, stack: Stack, seconds: float) -> None:
        """Shares out the time since the last look: it is taken for that of the line that runs now."""
        kinds = [self._kind(code) for code, _ in stack]
        own = kinds[: kinds.index(_USER)] if _USER in kinds else kinds
        inner = set(own)
        if _MEASURED in inner:
            return  # by its own clock
        traced = max((number for number, kind in enumerate(kinds) if kind == _TRACED), default=None)
        called = kinds[len(own) - 1] if own else _ELSE  # by the user's own line
        kind = PUT if called == _PUT else EAGER if inner.intersection((_DISPATCHING, _PUT)) else OWN
        if _IMPORTED in inner:
            kind = OWN  # what jax does while a library is imported is no work of the line that imports it
        if traced is not None:
            kind = TRACING  # counted for the line that asked for it, not for what is traced
        if kind == EAGER:
            self.dispatching()
        users = [place for place, kind in zip(stack[traced or 0 :], kinds[traced or 0 :], strict=True) if kind == _USER]
        account = self.spending.of(kind, users)
        if account is not None:
            account.sampled += seconds

    def _kind(self, code: CodeType) -> int:
        key = code.co_filename, code.co_name
        known = self.kinds.get(key)
        if known is None:
            known = self.kinds[key] = _USER if self.spending.is_mine(code.co_filename) else _kind_of(*key)
        return known


def _stack(thread: int) -> Stack:
    """Where the thread is, from the inside out."""
    frame, found = sys._current_frames().get(thread), []
    while frame is not None:
        found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return found


def _kind_of(file: str, name: str) -> int:
    if file in _OURS:
        return _MEASURED
    if file == _IMPORTING:
        return _IMPORTED
    if not is_jax(file) or os.path.basename(file) in _NEUTRAL or name == "<module>":
        return _ELSE
    return _TRACED if name in _COMPILING else _PUT if name in _PUTTING else _DISPATCHING
