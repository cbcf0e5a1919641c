"""Which functions are called at all, on Python 3.11: counted in C, since a profiler in Python costs more than calls."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any


class Called:
    """The code that the thread which has started it calls."""

    def __init__(self) -> None:
        self._profiler: Any = None

    def start(self) -> bool:
        """Whether calls are recognized from here on."""
        if sys.version_info >= (3, 12) or sys.getprofile() is not None:
            return False
        try:
            self._profiler = importlib.import_module("_lsprof").Profiler(builtins=False, subcalls=False)
        except ImportError:
            return False
        self._profiler.enable()
        return True

    def forget(self) -> None:
        """Begins again."""
        if self._is_on():
            self._profiler.disable()
            self._profiler.clear()
            self._profiler.enable()

    def codes(self) -> Iterator[CodeType]:
        """What was called until now.

        Read while nothing is profiled: what the garbage collector calls during that would turn the tree that holds it.
        """
        with self.suspended():
            entries = self._profiler.getstats() if self._profiler is not None else ()
        for entry in entries:
            if isinstance(entry.code, CodeType):
                yield entry.code

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Sees nothing that this thread calls in the block."""
        if not self._is_on():
            yield
            return
        self._profiler.disable()
        try:
            yield
        finally:
            self._profiler.enable()

    def _is_on(self) -> bool:
        """Whether it watches this thread, in which a program may have put another one in its place."""
        return self._profiler is not None and sys.getprofile() is self._profiler
