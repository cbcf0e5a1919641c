"""The state of a project at another version, as `jaxfix upgrade` reports it."""

from collections.abc import Callable, Iterable

from jaxfix.report.finding import Fate, Safety
from jaxfix.report.report import Diagnostic
from jaxfix.source.frozen import frozen

Version = tuple[int, ...]


@frozen
class State:
    """The findings of a project between two versions.

    Attributes:
      came_from: the version that it was written for; None if unknown.
      today: the installed one; None where there is none.
      to: the one that it is to run with; None for the newest.
      files: how many were analysed.
      unread: how many could not be.
    """

    came_from: Version | None
    today: Version | None
    to: Version | None
    files: int
    findings: tuple[Diagnostic, ...]
    errors: tuple[str, ...]
    unread: int = 0

    @property
    def raises_today(self) -> tuple[Diagnostic, ...]:
        """None where no version is installed."""
        return self._where(lambda fate: self.today is not None and _has_come(fate, fate.raises, self.today))

    @property
    def raises_later(self) -> tuple[Diagnostic, ...]:
        """Findings that raise with the target, and not yet today."""
        today = {id(each) for each in self.raises_today}
        found = self._where(lambda fate: _has_come(fate, fate.raises, self.to))
        return tuple(each for each in found if id(each) not in today)

    @property
    def warns(self) -> tuple[Diagnostic, ...]:
        """Deprecated, and raising neither today nor with the target."""
        raising = {id(each) for each in (*self.raises_today, *self.raises_later)}
        return tuple(each for each in self._where(lambda fate: not fate.differs) if id(each) not in raising)

    @property
    def differs(self) -> tuple[Diagnostic, ...]:
        return self._where(lambda fate: bool(fate.differs))

    @property
    def safe(self) -> tuple[Diagnostic, ...]:
        return tuple(each for each in self.findings if each.fixable and each.safety is Safety.SAFE)

    @property
    def renames(self) -> tuple[Diagnostic, ...]:
        """Other names of the same thing, which an upgrade writes without a run."""
        return tuple(each for each in self.findings if each.fixable and each.renames)

    @property
    def proving(self) -> tuple[Diagnostic, ...]:
        """Fixes that need a run."""
        waiting = (each for each in self.findings if each.fixable and each.safety is Safety.NEEDS_EVIDENCE)
        return tuple(each for each in waiting if not each.renames)

    @property
    def by_hand(self) -> tuple[Diagnostic, ...]:
        """Findings without a fix, except mere changes of meaning."""
        return tuple(each for each in self.findings if not each.fixable and not (each.fate and each.fate.differs))

    def _where(self, holds: Callable[[Fate], bool]) -> tuple[Diagnostic, ...]:
        return tuple(each for each in self.findings if each.fate is not None and holds(each.fate))


def line_count(found: Iterable[Diagnostic]) -> int:
    """How many lines they are in: several findings may share one."""
    return len({(each.path, each.cell, each.line) for each in found})


def _has_come(fate: Fate, since: str, version: Version | None) -> bool:
    """Whether that version is one which does it; of other packages than jax the newest is meant."""
    if not since:
        return False
    return version is None or not fate.package.startswith("jax") or version >= tuple(map(int, since.split(".")))
