"""What one command costs."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

SAMPLE_S = 0.03
FINE = (0, 1)
"""The exit codes of a linter that has done its work."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one command and the processes that it started: `rss` is the most memory that all have together, if asked for.

    Pages that processes share count once on Linux, in each of them elsewhere.
    """

    cpu: float
    wall: float
    rss: int = 0


class Broken(Exception):
    """A command ended as it should not."""


def run(command: Sequence[str], folder: Path, env: Mapping[str, str], *, watched: bool = False) -> Cost:
    """Runs the command to its end.

    Raises:
      Broken: it ends with something else than 0 or 1.
    """
    begun = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        peak = _peak(process.pid) if watched else 0
        _, status, used = os.wait4(process.pid, 0)  # counts processes that it waited for, too
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in FINE:
        raise Broken(f"`{' '.join(command)}` ended with {process.returncode}; run it in {folder} to see why")
    return Cost(used.ru_utime + used.ru_stime, wall, peak)


def _peak(pid: int) -> int:
    """The most resident memory of the process and all below it, sampled until it ends."""
    import psutil  # nothing else needs it

    root, most = psutil.Process(pid), 0
    while root.is_running() and root.status() != psutil.STATUS_ZOMBIE:
        with suppress(psutil.NoSuchProcess):  # one has ended just now
            most = max(most, sum(map(_resident, (root, *root.children(recursive=True)))))
        time.sleep(SAMPLE_S)
    return most


def _resident(process: "psutil.Process") -> int:
    """Its memory; of a page that it shares with others its part."""
    if sys.platform == "linux":
        return int(process.memory_full_info().pss)
    return int(process.memory_info().rss)
