"""The resident memory of the process."""

import contextlib
import math
import os
import sys
import time
from typing import Any

_STAGED = "DynamicJaxprTracer"


def rss_bytes() -> int:
    """Resident memory now; its peak where the system does not say."""
    try:
        statm = os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return peak_bytes()
    try:
        return int(os.read(statm, 256).split()[1]) * os.sysconf("SC_PAGE_SIZE")
    finally:
        os.close(statm)


def peak_bytes() -> int:
    """The most memory that was ever resident in this process.

    On Linux `ru_maxrss` starts at the peak of the process that started this one (`exec_mmap` in the kernel's fs/exec.c
    keeps it), so a small program of a large parent would have the parent's; the mark of `/proc` starts again.
    """
    with contextlib.suppress(OSError), open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:  # Windows has none
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def device_peak_bytes() -> int | None:
    """The most memory that was ever in use on any device of this process; None where the devices do not tell.

    Asks for the devices, so only once a backend is up.
    """
    peaks = []
    for device in sys.modules["jax"].local_devices():
        try:
            said = (device.memory_stats() or {}).get("peak_bytes_in_use")
        except Exception:  # a backend raises what it likes where it has no statistics
            continue
        if said is not None:
            peaks.append(int(said))
    return max(peaks, default=None)


def staged_bytes(value: Any) -> int | None:
    """What the arrays take that a function returns while `jit` alone traces it; None where their shapes do not tell."""
    found = 0
    for leaf in sys.modules["jax"].tree_util.tree_leaves(value):
        if hasattr(leaf, "aval"):
            if type(leaf).__name__ != _STAGED:
                return None  # of one that `vmap` maps, it is the shape of a part
            try:
                found += math.prod(leaf.shape) * leaf.dtype.itemsize
            except Exception:  # a size that is a symbol, a type without bytes
                return None
    return found


def free_bytes() -> int:
    """The memory that is free where arrays are made: on the device if it tells, else of the machine; 0 if unknown."""
    try:
        said = sys.modules["jax"].local_devices()[0].memory_stats() or {}
        return int(said["bytes_limit"]) - int(said["bytes_in_use"])
    except Exception:  # a backend raises what it likes where it has no statistics
        pass
    with contextlib.suppress(OSError), open("/proc/meminfo", "rb") as told:
        for line in told:
            if line.startswith(b"MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 0


class LiveArrays:
    """Counts the arrays that are alive, as long as counting takes little of the time of the program."""

    _MOST = 0.01
    _FIRST = 16

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.spent = 0.0
        self.times = 0

    def count(self) -> int | None:
        """How many arrays are alive; None where counting them would cost too much. Only once a backend is up."""
        now = time.perf_counter()
        if self.times >= self._FIRST and self.spent > self._MOST * (now - self.began):
            return None
        found = len(sys.modules["jax"].live_arrays())
        self.times += 1
        self.spent += time.perf_counter() - now
        return found
