"""Whether SAFE fixes can be distinguished from their originals, and the smallest program of which they can."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.safe.drawing import Choices
from benchmarks.safe.grammar import Program, made_of
from benchmarks.safe.running import Fixed, fixed, observed, observed_alone, write


@dataclass(frozen=True, slots=True)
class Judged:
    """A program, its fixes, and what was observed; `after` is None where nothing was fixed.

    Attributes:
      is_alone: whether what differs does so in processes of their own: one that has run others may know more of jax.
    """

    program: Program
    fixed: Fixed
    before: str = ""
    after: str | None = None
    is_alone: bool = True

    @property
    def is_breach(self) -> bool:
        return self.after is not None and self.before != self.after and self.is_alone


def judged(program: Program, folder: Path) -> Judged:
    """Fixes the program, and runs both if anything was fixed."""
    before, after = folder / "before", folder / "after"
    for place in (before, after):
        shutil.rmtree(place, ignore_errors=True)
    found = fixed(program, before)
    if not found.ids:
        return Judged(program, found)
    write(found.files, after)
    seen = observed(before), observed(after)
    is_alone = seen[0] == seen[1] or observed_alone(before) != observed_alone(after)
    return Judged(program, found, *seen, is_alone)


def smallest(choices: Choices, folder: Path, judge: Callable[[Program, Path], Judged] = judged) -> Judged:
    """The breach of the fewest unusual choices that is left of one, when none can be spared."""
    left = dict(choices)
    best = judge(made_of(left), folder)
    for names in _groups(left):
        smaller = {name: value for name, value in left.items() if name not in names}
        tried = judge(made_of(smaller), folder) if smaller != left else best
        if tried.is_breach and smaller != left:
            left, best = smaller, tried
    return best


def _groups(choices: Choices) -> Iterator[frozenset[str]]:
    """What may be left out at once: all of one site or change, then halves, then each choice, twice."""
    places = sorted({name.partition("/")[0] for name in choices if "/" in name})
    yield from (frozenset(name for name in choices if name.startswith(f"{place}/")) for place in places)
    names = sorted(choices)
    half = len(names) // 2
    yield from (frozenset(names[:half]), frozenset(names[half:]))
    for _ in range(2):
        yield from (frozenset([name]) for name in names)
