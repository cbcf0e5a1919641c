"""The evidence of two runs for a change by others. JSON, versioned."""

from dataclasses import field
from enum import Enum

from jaxfix.report.evidence import Counts, Evidence, Level, Verdict
from jaxfix.report.report import SCHEMA
from jaxfix.report.seal import Seal
from jaxfix.source.frozen import frozen


class Apart(Enum):
    """Why a changed function is not compared by itself."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    FILE = "no Python source"
    """The run with the change has the file as the change makes it."""


@frozen
class Uncompared:
    """A function, or a whole file, that is not compared by itself; `now` is the new name of what is renamed."""

    path: str
    name: str | None
    why: Apart
    now: str | None = None


@frozen
class Proven:
    """The result of two runs that differ by a change.

    Attributes:
      verdict: of the whole change: that of the function that speaks most against it.
      reason: one line for a person.
      level: how much is known of the results, where that is proven; also of what is equal up to rounding, and so proven
        only where that is accepted.
      accepted: the least that counts as proven.
      evidence: by function that the change has changed; `<module>` stands for statements outside of functions.
      before: the figures of the run without the change; None where it was not compared.
      after: those of the run with it.
      seal: the sources that it speaks of, and a digest over all of it.
    """

    verdict: Verdict
    reason: str
    level: Level | None
    accepted: Level
    command: str
    evidence: tuple[Evidence, ...] = ()
    uncompared: tuple[Uncompared, ...] = ()
    before: Counts | None = None
    after: Counts | None = None
    seal: Seal | None = None
    schema: int = field(default=SCHEMA)

    @property
    def is_proven(self) -> bool:
        """Whether the change is proven; true of comments and layout alone."""
        return self.verdict is Verdict.PROVEN or (not self.evidence and self.verdict is Verdict.NO_EFFECT)
