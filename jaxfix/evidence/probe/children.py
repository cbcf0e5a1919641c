"""Processes that each do one part of a request: forked where that is sound, fresh ones elsewhere."""

import os
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import NamedTuple, Protocol

from .orphans import end_with

_PAUSE_S = 0.005


class Child(Protocol):
    """A process; `poll` is None while it runs, then its exit status, negative for a signal."""

    def poll(self) -> int | None: ...

    def kill(self) -> None: ...


class Ending(NamedTuple):
    """How a process ended: why not well, None if it did; and when it was cut off, None if it was not."""

    failure: str | None
    stopped: str | None


class _Forked:
    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.status: int | None = None

    def poll(self) -> int | None:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if pid else None
        return self.status

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status)


class _Fresh:
    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen([sys.executable, "-m", "jaxfix_probe.drive", *words])

    def poll(self) -> int | None:
        return self.process.poll()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def child(words: list[str], work: Callable[[], None]) -> Child:
    """Starts a process that does `work`: a fork, or a fresh interpreter where a fork is not sound.

    Args:
      words: the arguments of `python -m jaxfix_probe.drive` for the same.
    """
    if not hasattr(os, "fork") or _backend_is_up():
        return _Fresh(words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jax and Python warn of threads; no backend is up, so there are none
        pid = os.fork()
    if pid:
        return _Forked(pid)
    status = 1
    try:
        end_with(os.getppid())
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def run_all(
    starts: list[Callable[[], Child]], workers: int, limit_s: float, told: Callable[[int], None]
) -> list[Ending]:
    """Runs children, `workers` at a time; returns how each ended.

    Args:
      told: of the number of each that begins.
    """
    ended = [Ending(None, None)] * len(starts)
    running: dict[int, tuple[Child, float]] = {}
    waiting = list(range(len(starts)))
    while waiting or running:
        while waiting and len(running) < workers:
            index = waiting.pop(0)
            told(index + 1)
            running[index] = starts[index](), time.monotonic()
        for index, (process, started) in list(running.items()):
            if process.poll() is not None or time.monotonic() - started > limit_s:
                ended[index] = ending(process, limit_s)
                del running[index]
        time.sleep(_PAUSE_S)
    return ended


def ending(process: Child, limit_s: float) -> Ending:
    """How the process ended; one that still runs is killed."""
    status = process.poll()
    if status is None:
        process.kill()
        return Ending(f"cut off after {limit_s:g} s", f"after {limit_s:g} s")
    return Ending(None if status == 0 else f"the process ended with status {status}", None)


def _backend_is_up() -> bool:
    bridge = sys.modules.get("jax._src.xla_bridge")
    up = getattr(bridge, "backends_are_initialized", None)
    return up is None or bool(up())
