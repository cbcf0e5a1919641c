"""What a fix saves in its own lines, in a run in which others save compiles as well."""

import re
from collections.abc import Sequence
from dataclasses import replace

from jaxfix.evidence.verdict import Pair
from jaxfix.report.measurement import Compile, Measurement, Step

_CELL = re.compile(r"(?<=\.ipynb):cell \d+$")


def saved_alone(pair: Pair, function: str, others: Sequence[str]) -> Pair | None:
    """The two runs reduced to the compiles that happened in calls of `function` and of none of `others`.

    None if these do not drop in every steady step: then only a run without the fix can tell. A compile that no call of
    another rewritten function has asked for, and that is gone at every step from the third on, cannot be their doing:
    what they hand over (a type that has become strong, say) is the same from the second step on.
    """
    if len(pair.before.steps) < 3 or len(pair.before.steps) != len(pair.after.steps):
        return None
    before, after = (_only(run, function, others) for run in (pair.before, pair.after))
    steady = [(a.compiles, b.compiles) for a, b in zip(before.steps[2:], after.steps[2:], strict=True)]
    return replace(pair, before=before, after=after) if all(a > b for a, b in steady) else None


def saves_in_lines(pair: Pair, function: str) -> bool:
    """Whether fewer compiles were asked for by lines of `function`, whoever's doing that is."""
    before, after = (sum(_is_in(entry, function) for entry in run.compiles) for run in (pair.before, pair.after))
    return after < before


def _only(run: Measurement, function: str, others: Sequence[str]) -> Measurement:
    kept = tuple(
        entry for entry in run.compiles if _is_in(entry, function) and not any(_is_in(entry, o) for o in others)
    )
    steps = tuple(_counted(step, number, kept) for number, step in enumerate(run.steps, 1))
    return replace(run, compiles=kept, steps=steps)


def _counted(step: Step, number: int, compiles: Sequence[Compile]) -> Step:
    return replace(step, compiles=sum(entry.step == number for entry in compiles))


def _is_in(entry: Compile, function: str) -> bool:
    """Whether a line of `function` (as `path:qualified name`) is in the chain of the compile."""
    path, _, qualname = function.rpartition(":")
    return any(_names(link, path, qualname) for link in entry.chain)


def _names(link: str, path: str, qualname: str) -> bool:
    place, _, where = link.partition(" in ")
    file = _CELL.sub("", place.rpartition(":")[0])
    return where == qualname and (file == path or file.endswith(f"/{path}"))
