"""Going through fixes one by one: where one is, what was decided, and the way back."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from jaxfix.drivers.workflow.candidates import Candidate
from jaxfix.drivers.workflow.decisions import Choice, Decisions, Name
from jaxfix.source.edits import Edit
from jaxfix.source.frozen import frozen


@frozen
class Cursor:
    """The fixes in order, and the decisions on them.

    Attributes:
      at: the one that is asked about; after the last one at the end.
      past: the steps that led here, the last one last: where one was, and what was decided then.
    """

    entries: tuple[Candidate, ...]
    decisions: Decisions
    at: int = 0
    past: tuple[tuple[int, Decisions], ...] = ()

    @classmethod
    def started(cls, entries: tuple[Candidate, ...], decisions: Decisions) -> "Cursor":
        """At the first fix that nothing is decided of."""
        cursor = cls(entries, decisions)
        return replace(cursor, at=cursor._open_from(0))

    @property
    def current(self) -> Candidate | None:
        return self.entries[self.at] if self.at < len(self.entries) else None

    def decided(self, names: Iterable[Name], choice: Choice) -> "Cursor":
        """Further on, with all of `names` decided."""
        return self._further(self.decisions.with_choice(names, choice))

    def edited(self, edits: tuple[Edit, ...]) -> "Cursor":
        """Further on, with the current fix taken as a person writes it."""
        name = self.entries[self.at].name
        return self._further(self.decisions.with_text(name, edits).with_choice([name], Choice.ACCEPTED))

    def skipped(self) -> "Cursor":
        """Further on, with the current fix left open."""
        return self._further(self.decisions)

    def back(self) -> "Cursor | None":
        """As it was before the last step; without one, at the fix before; None at the very first."""
        if self.past:
            at, decisions = self.past[-1]
            return replace(self, at=at, decisions=decisions, past=self.past[:-1])
        if self.at == 0:
            return None
        name = self.entries[self.at - 1].name
        return replace(self, at=self.at - 1, decisions=self.decisions.with_choice([name], None))

    def open_like(self, is_like: Callable[[Candidate], bool]) -> tuple[Name, ...]:
        """The current fix, and those that nothing is decided of and `is_like` takes."""
        here = self.entries[self.at]
        others = (entry for entry in self.entries if entry is not here and self.decisions.of(entry.name) is None)
        return (here.name, *(entry.name for entry in others if is_like(entry)))

    def is_for_many(self, entry: Candidate) -> bool:
        """Whether an answer for many takes it: no rerun refutes it, and it has no text that was only remembered."""
        return not is_refuted(entry) and entry.name not in self.decisions.edited

    def _further(self, decisions: Decisions) -> "Cursor":
        moved = replace(self, decisions=decisions, past=(*self.past, (self.at, self.decisions)))
        return replace(moved, at=moved._open_from(self.at + 1))

    def _open_from(self, start: int) -> int:
        numbers = range(start, len(self.entries))
        return next((n for n in numbers if self.decisions.of(self.entries[n].name) is None), len(self.entries))


def is_refuted(entry: Candidate) -> bool:
    """Whether a rerun has shown that the fix changes results, or breaks the program: no answer for many takes it."""
    known = entry.known
    return known is not None and not known.expired and known.evidence.verdict.is_refuted
