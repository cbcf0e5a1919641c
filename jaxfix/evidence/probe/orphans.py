"""A run without anybody who waits for it ends."""

import importlib
import os
import signal
import sys
from contextlib import suppress

_SIGNAL_AT_DEATH = 1
"""`PR_SET_PDEATHSIG` of the kernel's linux/prctl.h."""


def end_with(parent: int) -> None:
    """Has the system kill this process when `parent` has ended, if that has started it; only Linux can be asked to."""
    if sys.platform == "linux" and os.getppid() == parent:
        with suppress(Exception):  # a Python without ctypes
            importlib.import_module("ctypes").CDLL(None).prctl(_SIGNAL_AT_DEATH, int(signal.SIGKILL))
