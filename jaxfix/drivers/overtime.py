"""A limit on the time of each call of a stranger's code: what does not come to an end is interrupted in its midst.

A clock ticks in the main thread, as a signal, and counts how often it finds the same call: what a machine slept, or a
process was stopped, is not counted.
"""

import _thread
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial

from jaxfix.core.patience import Overtime, turn

LIMIT_S = 300.0
"""What a codemod of our own needs for a file of a megabyte, on a machine that has much else to do, is less."""
TICK_S = 1.0


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
        self._ticks = 0

    def __call__(self, number: int, frame: object) -> None:
        now = turn.get()
        self._ticks = self._ticks + 1 if now is self._turn and now is not None else 0
        self._turn = now
        if self._ticks * TICK_S >= LIMIT_S:
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
    _SIGNAL = signal.SIGABRT  # nobody sends it there
    _ticking = partial(tick_from_thread, _SIGNAL)
else:
    _SIGNAL = signal.SIGALRM

    def _ticking() -> Callable[[], object]:
        signal.setitimer(signal.ITIMER_REAL, TICK_S, TICK_S)
        return partial(signal.setitimer, signal.ITIMER_REAL, 0)
