"""Counts what the process that it runs in compiles, by means of the probe: for tests that run where jaxfix is."""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from jaxfix.evidence.probe.arrival import when_imported
from jaxfix.evidence.probe.compiles import Compiles
from jaxfix.evidence.probe.record import Record
from jaxfix.evidence.probe.settings import Settings
from jaxfix.evidence.probe.steps import Steps
from jaxfix.report.measurement import Compile
from jaxfix.report.trace.budget import Counted, counted
from jaxfix.report.wire import from_json


class Seen:
    """What was compiled since counting began, in any thread; it grows until counting ends."""

    def __init__(self, record: Record) -> None:
        self._record, self._start = record, len(record.compiles)
        self._found: tuple[Compile, ...] | None = None

    @property
    def compiles(self) -> tuple[Compile, ...]:
        """Each compile, in order."""
        if self._found is not None:
            return self._found
        return tuple(from_json(Compile, entry) for entry in self._record.compiles[self._start :])

    @property
    def functions(self) -> tuple[Counted, ...]:
        """Each function that was compiled, and each program that a line of code ran by itself."""
        return counted(self.compiles)

    @property
    def total(self) -> int:
        """How many compiles there were."""
        return len(self.compiles)

    @property
    def by_function(self) -> dict[str, int]:
        """How often each was compiled, by its name: `step`, `Model.update`, or the program, such as `scan`."""
        numbers: Counter[str] = Counter()
        for entry in self.functions:
            numbers[entry.name] += entry.whole.compiles
        return dict(numbers)

    def end(self) -> None:
        """From here on it stays unchanged."""
        self._found = self.compiles

    def __repr__(self) -> str:
        return f"<{self.total} compiles: {self.by_function}>"


class Counting:
    """The listener of a process. It costs next to nothing while nobody counts."""

    def __init__(self) -> None:
        settings = Settings({"results": ""})
        self.record = Record()
        self.compiles = Compiles(settings, self.record, Steps(settings, self.record, str))
        self.compiles.is_on = False
        self.open = 0
        self.lock = threading.Lock()
        when_imported("jax", self.compiles.listen)

    @contextmanager
    def counted(self, *, sizes: bool = False) -> Iterator[Seen]:
        """Counts what compiles during the block, and with `sizes` how large that is."""
        with self.lock:
            self.compiles.settings.sizes = sizes or (self.open > 0 and self.compiles.settings.sizes)
            if "jax" in sys.modules and not self.compiles.is_listening():
                self.compiles.listen()
            self.open += 1
            self.compiles.is_on = True
            seen = Seen(self.record)
        try:
            yield seen
        finally:
            with self.lock:
                seen.end()
                self.open -= 1
                self.compiles.is_on = self.open > 0
                if not self.open:
                    self.record.reset()


_counting: Counting | None = None


def counting() -> Counting:
    """The one of this process; jax listens to it from now on, or from when it is imported."""
    global _counting
    _counting = _counting or Counting()
    return _counting
