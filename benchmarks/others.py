"""How busy others keep this machine while something is measured, for pages whose seconds depend on it."""

import os
import time
from dataclasses import dataclass, field

import psutil


def _busy() -> float:
    """Processor seconds of the whole machine since it started."""
    times = psutil.cpu_times()
    return float(sum(getattr(times, part, 0.0) for part in ("user", "nice", "system", "irq", "softirq", "steal")))


def _own() -> float:
    """Processor seconds of this process and of its children that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@dataclass(slots=True)
class Others:
    """Other work on this machine since this was made."""

    began: float = field(default_factory=time.monotonic)
    busy: float = field(default_factory=_busy)
    own: float = field(default_factory=_own)

    def processors(self) -> float:
        """How many processors others kept busy, on average; children of this process have to have ended."""
        passed = time.monotonic() - self.began
        return max(0.0, (_busy() - self.busy) - (_own() - self.own)) / max(passed, 1e-9)
