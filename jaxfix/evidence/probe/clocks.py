"""Clocks that a function reads: a trace reads them once, and two calls may read the same second or day."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

from .files import is_installed

_OF_CLOCKS = ("time", "datetime")


@contextmanager
def clocks() -> Iterator[Callable[[], list[str]]]:
    """Says which clocks the user's code has read in the block."""
    read: dict[str, Callable[[], Any]] = {}
    others = sys.getprofile()

    def profile(frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and (home := _home(called)) in _OF_CLOCKS and not is_installed(frame.f_code.co_filename):
            read.setdefault(f"{home}.{called.__qualname__}", called)

    sys.setprofile(profile)
    try:
        yield lambda: [name for name, called in read.items() if _tells_the_time(called)]
    finally:
        sys.setprofile(others)


def _home(called: Any) -> str | None:
    """The module that a builtin function, or the class that it is a method of, belongs to."""
    owner = getattr(called, "__self__", None)
    if isinstance(owner, ModuleType):
        return owner.__name__
    return owner.__module__ if isinstance(owner, type) else None


def _tells_the_time(called: Callable[[], Any]) -> bool:
    """Whether it needs no arguments: others convert a time, or wait."""
    try:
        called()
    except TypeError:
        return False
    return True
