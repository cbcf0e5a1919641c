"""A limit on the time of each call of a stranger's code: what does not come to an end is interrupted in its midst.

A clock ticks in the main thread, as a signal, and looks whether it finds the same call. It counts what that computes,
or waits without computing; what a machine slept, or gave to others that had more to do, is not counted.
"""

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

from jaxfix.source.timeouts import Overtime, turn

LIMIT_S = 300.0
"""What a codemod of our own needs for a file of five megabytes is less."""
TICK_S = 1.0
_IDLE = 0.01
"""Who computes in no more than this part of a tick waits for something."""


def begin() -> Callable[[], None]:
    """From here on, until what is returned is called, no stranger's code has more than `LIMIT_S` in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        return _nothing  # signals are heard there alone
    before = signal.signal(_SIGNAL, _Clock())
    stop = _ticking()

    def end() -> None:
        stop()
        signal.signal(_SIGNAL, before or signal.SIG_DFL)

    return end


class _Clock:
    """Hears the ticks."""

    def __init__(self) -> None:
        self._turn: object = None
        self._computed_s = self._had_s = 0.0

    def __call__(self, number: int, frame: object) -> None:
        before, self._computed_s = self._computed_s, time.process_time()
        computed_s = self._computed_s - before
        if turn.get() is not self._turn:
            self._turn, self._had_s = turn.get(), 0.0
            return
        self._had_s += computed_s if computed_s > _IDLE * TICK_S else TICK_S
        if self._turn is not None and self._had_s >= LIMIT_S:
            raise Overtime(f"it has had {LIMIT_S:g} s")


def tick_from_thread(number: signal.Signals) -> Callable[[], None]:
    """Ticks as the system does where it has no clock for that; code in C that never looks up does not hear it."""
    is_over = threading.Event()

    def tick() -> None:
        while not is_over.wait(TICK_S):
            _thread.interrupt_main(number)

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()

    def stop() -> None:
        is_over.set()
        thread.join()

    return stop


def _nothing() -> None:
    return


if sys.platform == "win32":
    _SIGNAL = signal.SIGABRT  # it is not used there
    _ticking = partial(tick_from_thread, _SIGNAL)
else:
    _SIGNAL = signal.SIGALRM

    def _ticking() -> Callable[[], object]:
        signal.setitimer(signal.ITIMER_REAL, TICK_S, TICK_S)
        return partial(signal.setitimer, signal.ITIMER_REAL, 0)
