"""What came of many programs, added up."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from benchmarks.reliability.crew import Outcome
from benchmarks.reliability.laws import Breach, Examined

T = TypeVar("T")


@dataclass(slots=True)
class Tally:
    """Programs of one kind.

    Attributes:
      rewritten: those in which something was fixed.
      refused: how many were not read, by reason.
      breaches: each law that did not hold, with the program.
    """

    name: str
    programs: int = 0
    findings: int = 0
    fixes: int = 0
    held: int = 0
    rewritten: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    breaches: list[str] = field(default_factory=list)

    def add(self, shown: str, examined: Examined) -> list[str]:
        """Counts one program in; returns its breaches in words."""
        self.programs += 1
        self.findings += examined.findings
        self.fixes += examined.fixes
        self.held += examined.held
        self.rewritten += examined.fixes > 0
        if examined.refused is not None:
            self.refused[examined.refused] = self.refused.get(examined.refused, 0) + 1
        new = [f"{shown}: {breach.law}: {breach.detail}" for breach in examined.breaches]
        self.breaches += new
        return new


def tallied(
    name: str,
    done: Iterable[Outcome[T, list[tuple[str, Examined]]]],
    tell: Callable[[str], None],
) -> Tally:
    """The programs of all outcomes; `tell` hears of each breach at once."""
    tally = Tally(name)
    for outcome in done:
        named = outcome.result
        if named is None:
            ended = Examined(breaches=(Breach("it comes to an end", outcome.ended or ""),))
            named = [(str(outcome.task), ended)]
        for shown, examined in named:
            for breach in tally.add(shown, examined):
                tell(f"{name}: {breach}")
    return tally
