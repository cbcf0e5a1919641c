"""The last question of a review: whether to write what was taken."""

import sys
from collections.abc import Sequence
from enum import Enum

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.cli.prompt import view
from jaxfix.drivers.cli.prompt.cursor import Cursor
from jaxfix.drivers.workflow import decisions
from jaxfix.drivers.workflow.candidates import unlike_shown
from jaxfix.drivers.workflow.decisions import Choice, Name, Unmade
from jaxfix.drivers.workflow.planning import Plans
from jaxfix.render import diff
from jaxfix.render.paint import counted
from jaxfix.source.frozen import frozen


class Answer(Enum):
    """What a person says to it."""

    WRITE = "write"
    LEAVE = "leave"
    BACK = "back"


@frozen
class Confirmation:
    """The pending writes at the end of a review.

    Attributes:
      standing: what was decided, in words.
      taken_before: the fixes that an earlier run remembers as taken.
    """

    plans: Plans
    cursor: Cursor
    standing: str
    taken_before: frozenset[Name]

    def answer(self, *, asks: bool) -> Answer:
        """Asks, where that is wanted, the plan is not as shown, or the yes may be another person's."""
        made = self.cursor.decisions
        if not made.having(Choice.ACCEPTED):
            return Answer.WRITE
        lost, other = decisions.unmade(self.plans, made), unlike_shown(self.plans, self.cursor.entries, made)
        self._tell_surprises(lost, other)
        if not (asks or lost or other or made.having(Choice.ACCEPTED) & self.taken_before):
            return Answer.WRITE
        return self._asked()

    def _asked(self) -> Answer:
        keys = tuple(key for key, _ in view.LAST_KEYS)
        fixes = sum(len(entry.patch.applied) for entry in self.plans.planned)
        words = f"\n{self.standing}: write {counted(fixes, 'fix')} to {counted(len(self.plans.changed), 'file')}"
        paint, width = terminal.paint_for(sys.stderr), terminal.width_of(sys.stderr)
        while True:
            match view.key_of(terminal.reply(view.prompt(words, keys, view.LAST_WORDS, paint)), view.LAST_WORDS):
                case "y" | "q":
                    return Answer.WRITE
                case "n":
                    terminal.tell("nothing was written; the answers are remembered\n")
                    return Answer.LEAVE
                case "b":
                    return Answer.BACK
                case "s":
                    raw = diff.unified(entry.patch for entry in self.plans.changed)
                    terminal.tell(diff.painted(raw, paint).decode(errors="replace"))
                case _:
                    terminal.tell(view.help_for(keys, view.LAST_KEYS, paint, width))

    def _tell_surprises(self, lost: Sequence[Unmade], other: Sequence[str]) -> None:
        entries = {entry.name: entry for entry in self.cursor.entries}
        for unmade in lost:
            entry = entries.get(unmade.name)
            where = entry.diagnostic.where if entry is not None else unmade.name.path
            what = entry.diagnostic.id if entry is not None else unmade.name.key
            terminal.note(f"{where}: `{what}` was accepted, and cannot be applied: {unmade.reason}")
        for path in other:
            terminal.note(f"{path}: its fixes touch each other, and are written together: `s` shows how")
