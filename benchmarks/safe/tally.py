"""Counts of judged programs, by what is unusual about them."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import jax

from benchmarks.safe.grammar import generated
from benchmarks.safe.law import Judged, judged, smallest


@dataclass(slots=True)
class Tally:
    """What came of many programs.

    Attributes:
      programs: how many were made.
      fixed: how many had a SAFE fix.
      fixes: how many fixes, by codemod.
      tried: how many of all are of each class.
      classes: how many of those that had a fix are of each class.
      breaches: the number and the smallest form of each program that breaks the law.
    """

    programs: int = 0
    fixed: int = 0
    fixes: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    breaches: list[tuple[int, Judged]] = field(default_factory=list)

    def note(self, judged: Judged) -> None:
        self.programs += 1
        self.tried.update(classes(judged))
        if judged.after is not None:
            self.fixed += 1
            self.fixes.update(judged.fixed.ids)
            self.classes.update(classes(judged))

    def add(self, other: "Tally") -> None:
        self.programs += other.programs
        self.fixed += other.fixed
        self.fixes.update(other.fixes)
        self.tried.update(other.tried)
        self.classes.update(other.classes)
        self.breaches += other.breaches


def classes(judged: Judged) -> set[str]:
    """The classes of what is unusual about a program."""
    found = {mark.partition(":")[0] for mark in judged.program.marks}
    found |= {"file not named"} if judged.program.targets != (".",) else set()
    return found or {"nothing unusual"}


def some_programs(work: tuple[int, range]) -> Tally:
    """The programs of a seed, by their numbers; those that break the law are made smaller."""
    seed, numbers = work
    tally = Tally()
    with TemporaryDirectory() as folder:
        for number in numbers:
            found = judged(generated(seed, number), Path(folder))
            tally.note(found)
            if found.is_breach:
                tally.breaches.append((number, smallest(found.program.choices, Path(folder))))
    jax.clear_caches()  # of programs that are gone
    return tally
