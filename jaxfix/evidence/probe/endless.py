"""Ends a call of Python code that does not end by itself."""

import ctypes
import threading
import time


class DoesNotEnd(BaseException):
    """Raised in a call that has run for too long, wherever it is."""


class Limit:
    """How long one call after the other may run: `look`, from another thread, ends in Python what runs for longer.

    What XLA runs it does not end.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds, self.thread = seconds, threading.get_ident()
        self.until: float | None = None

    def begin(self) -> None:
        """A call begins in the thread that has made this."""
        self.until = time.monotonic() + self.seconds

    def end(self) -> None:
        """The call has ended."""
        self.until = None

    def look(self) -> None:
        """Ends the call if it is late."""
        if self.until is not None and time.monotonic() > self.until:
            self.until = None
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(DoesNotEnd))
