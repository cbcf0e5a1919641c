"""What came of some programs of one seed, as JSON can keep it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchmarks.safe.tally import Tally, classes, some_programs

AT_ONCE = 25


@dataclass(frozen=True, slots=True)
class Shard:
    """What came of the programs of one seed from `first` on.

    Attributes:
      tried: how many of the programs are of each class; `classes`, of those with a fix.
      broken: the classes of the smallest form of each program that breaks the law, by its number.
    """

    seed: int
    first: int
    programs: int
    fixed: int = 0
    fixes: dict[str, int] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)
    broken: dict[str, list[str]] = field(default_factory=dict)


def ranges(seed: int, first: int, programs: int) -> list[tuple[int, range]]:
    """The numbers of so many programs of a seed, some at a time."""
    numbers = range(first, first + programs)
    return [(seed, numbers[start : start + AT_ONCE]) for start in range(0, programs, AT_ONCE)]


def shard(seed: int, numbers: range, tally: Tally) -> Shard:
    broken = {str(number): sorted(classes(breach)) for number, breach in tally.breaches}
    counts = dict(tally.fixes), dict(tally.classes), dict(tally.tried)
    return Shard(seed, numbers.start, len(numbers), tally.fixed, *counts, broken)


def judged_shard(name: str) -> Shard:
    """What comes of the programs that `SEED/FIRST/PROGRAMS` names."""
    seed, first, programs = map(int, name.split("/"))
    numbers = range(first, first + programs)
    return shard(seed, numbers, some_programs((seed, numbers)))


def summed(shards: Iterable[Shard]) -> tuple[int, int, Counter[str], Counter[str], Counter[str], Counter[str]]:
    """Programs, those with a fix, fixes by codemod, classes of all, of those with a fix, and of breaches."""
    programs = fixed = 0
    fixes, tried, found, broken = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for each in shards:
        programs, fixed = programs + each.programs, fixed + each.fixed
        fixes.update(each.fixes)
        tried.update(each.tried)
        found.update(each.classes)
        broken.update(name for names in each.broken.values() for name in names)
    return programs, fixed, fixes, tried, found, broken
