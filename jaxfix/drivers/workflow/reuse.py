"""Verdicts that rest on runs which were made before: found, counted, and told."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from jaxfix.drivers import shelf
from jaxfix.evidence.reusing import Repeatable, Reusing, Shelf
from jaxfix.evidence.target import Target
from jaxfix.render.paint import counted, printable

Name = tuple[str, str]


@dataclass(slots=True)
class Reuse:
    """What of a proof was known before.

    Attributes:
      runner: makes the runs that are not.
    """

    runner: Reusing
    _judged: set[Name] = field(default_factory=set)
    _old: set[Name] = field(default_factory=set)

    def judged(self, name: Name) -> None:
        """Hears of each verdict as soon as there is one."""
        self._judged.add(name)
        if self.runner.made == 0:
            self._old.add(name)
        else:
            self._old.discard(name)

    def notes(self, names: Collection[Name]) -> list[str]:
        """What the proof has cost, and what it had from before, a line each.

        Args:
          names: of all verdicts.
        """
        return [words for words in (self._cost(), self._words(names)) if words is not None]

    def _cost(self) -> str | None:
        if not self.runner.made:
            return None
        what = f"{counted(self.runner.made, 'run')} of `{printable(self.runner.command)}`"
        return f"made {what}: {counted(self.runner.compiles, 'compile')}, {self.runner.seconds:.0f} s"

    def _words(self, names: Collection[Name]) -> str | None:
        """Which verdicts no run was made for; what was not judged by then follows from the first run."""
        if not self.runner.reused:
            return None
        old = self._old.union(name for name in names if name not in self._judged)
        runs = counted(len(self.runner.reused), "run")
        since = min(self.runner.reused)[:16].replace("T", " ")
        what = f"{len(old)} of {counted(len(names), 'verdict')}" if old else runs
        command = printable(self.runner.command)
        return f"reused {what} of `{command}`, of runs since {since} UTC: nothing has changed; `--fresh` runs all again"


def reuse(runner: Repeatable, root: Path, target: Target, *, is_fresh: bool) -> Reuse:
    """The runner, reusing what is kept for the user.

    Args:
      root: the project, which is not believed about its own runs.
      target: where it runs. What programs read on other machines, and whether it has changed, is not known.
    """
    is_known = target.is_here or (runner.repeats and target.installed() is not None)
    place = shelf.place(root) if is_known else None
    found: Shelf = shelf.Nowhere() if place is None else shelf.Fresh(place) if is_fresh else shelf.Folder(place)
    return Reuse(Reusing(runner, found, is_here=target.is_here))
