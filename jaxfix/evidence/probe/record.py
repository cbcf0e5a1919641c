"""What happened in one process."""

import time
from typing import Any

from .memory import peak_bytes
from .untried import Untried

# All processes of a program write their samples down: 8 bytes each in memory, about 20 in the file.
SAMPLE_BUDGET = 1 << 20


class Record:
    """Lists of plain dictionaries, as a `Measurement` reads them."""

    def __init__(self) -> None:
        self.loaded: dict[str, str] = {}
        self.executed: set[str] = set()
        self.has_jax = False
        self.reads: dict[str, str] | None = None
        self.asks = False
        self.reset()

    def reset(self) -> None:
        """Forgets what happened, not what was loaded: a forked child inherits modules, not counts."""
        self.compiles: list[dict[str, Any]] = []
        self.traces = 0
        self.steps: list[dict[str, Any]] = []
        self.outputs: list[dict[str, Any]] = []
        self.beside: list[dict[str, Any]] = []
        self.programs: list[dict[str, Any]] = []
        self.alone: dict[str, str] = {}
        self.untried = Untried()
        self.left: list[dict[str, Any]] = []
        self.logged: list[str] = []
        self.warned: list[str] = []
        self.work: list[dict[str, Any]] = []
        self.spent: list[dict[str, Any]] = []
        self.razor: dict[str, dict[str, Any]] = {}
        self.calls: dict[str, int] = {}
        self.staged_bytes: dict[str, int | None] = {}
        self.functions: set[str] = set(self.executed)
        self.environment: dict[str, str] | None = None
        self.stopped: str | None = None
        self.where_steps: str | None = None
        self.peak_bytes: int | None = None
        self.device_peak_bytes: int | None = None
        self.devices = 0
        self.has_one_device = False
        self.budget = SAMPLE_BUDGET
        self.aside_s = 0.0
        self.seconds: float | None = None
        self.started = time.time()

    def age(self) -> float:
        """Seconds since this process began, as far as the probe knows."""
        return time.time() - self.started

    def end(self) -> None:
        """The program has ended: what comes now is not its own, nor was what has been noted as aside."""
        if self.seconds is None:
            self.seconds = self.age() - self.aside_s

    def as_json(self) -> dict[str, Any]:
        """Everything but the case, the failure and the standard output of a `Measurement`."""
        return {
            "compiles": self.compiles,
            "traces": self.traces,
            "steps": self.steps,
            "outputs": self.outputs,
            "beside": self.beside,
            "programs": self.programs,
            "alone": self.alone,
            "left": self.left,
            "logged": self.logged,
            "warned": self.warned,
            "untried": self.untried.as_json(),
            "work": self.work,
            "spent": self.spent,
            "seconds": self.age() if self.seconds is None else self.seconds,
            "razor": [{"function": name, **entry} for name, entry in self.razor.items()],
            "calls": self.calls,
            "staged_bytes": self.staged_bytes,
            "functions": sorted(self.functions),
            "loaded": self.loaded,
            "peak_bytes": self.peak_bytes or peak_bytes(),
            "device_peak_bytes": self.device_peak_bytes,
            "devices": self.devices,
            "has_one_device": self.has_one_device,
            "environment": self.environment,
            "stopped": self.stopped,
            "where_steps": self.where_steps,
            "has_jax": self.has_jax,
            "reads": None if self.asks else self.reads,
        }
