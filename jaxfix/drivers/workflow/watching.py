"""Who hears of work while it goes on: a terminal, a page, an editor."""

from contextlib import AbstractContextManager
from typing import Protocol

from jaxfix.report.evidence import Evidence


class Advance(Protocol):
    """Hears of each step of long work by name; where their number is unknown, of the progress of a step too."""

    def __call__(self, step: str, /, *, share: float | None = None) -> None:
        """The step; where their number is unknown, also the share of the work that is done, from 0 to 1."""


class Watcher(Protocol):
    """What work asks of its caller; the module `jaxfix.drivers.cli.terminal` is one."""

    def progress(self, title: str, total: int | None) -> AbstractContextManager[Advance]:
        """Reports the start of work of `total` steps, None if unknown; it ends with the block."""
        ...

    def note(self, message: str) -> None:
        """Announces something, in one line."""

    def judged(self, evidence: Evidence) -> None:
        """Tells a verdict while the proof goes on, which ends with all of them; a later one of a fix counts."""

    def finish_first(self) -> None:
        """Says that files are written from here on: to stop the work now, wait for its end."""
