"""What a fix saves in its own lines, in a run in which others save compiles as well."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from jaxfix.evidence.verdict import Pair
from jaxfix.report.measurement import Compile, Kind, Measurement, Spent, Step

_CONVERSION = "convert_element_type"
_CELL = re.compile(r"(?<=\.ipynb):cell \d+$")


def saved_alone(pair: Pair, function: str, others: Sequence[str]) -> Pair | None:
    """The two runs reduced to the compiles that happened in calls of `function` and of none of `others`.

    None if these do not drop in every steady step: then only a run without the fix can tell. A compile that no call of
    another rewritten function has asked for, and that is gone at every step from the third on, cannot be their doing:
    what they pass (a type that has become strong, say) is the same from the second step on.
    """
    if len(pair.before.steps) < 3 or len(pair.before.steps) != len(pair.after.steps):
        return None
    before, after = (_only(run, function, others) for run in (pair.before, pair.after))
    steady = [(a.compiles, b.compiles) for a, b in zip(before.steps[2:], after.steps[2:], strict=True)]
    return replace(pair, before=before, after=after) if all(a > b for a, b in steady) else None


def saved_once(pair: Pair, function: str, others: Sequence[str]) -> Pair | None:
    """The two runs reduced to programs that lines of `function` ran, and nothing compiles now, and to its new ones.

    None if these are not fewer. A run without the fix of `function` compiles what is gone again, where other fixes
    leave dtypes unchanged: its lines start what they started, and nothing else has made it. Only conversions hang
    on weak types as well. A new program counts wherever in a call of `function` it is, be it of one of `others`.
    """
    mine = [entry for entry in pair.before.compiles if _is_in(entry, function)]
    new = _new(mine, [entry for entry in pair.after.compiles if _is_in(entry, function)])
    left = {_primitive(entry.program) for entry in pair.after.compiles} | {_CONVERSION}
    ran = [entry for entry in pair.before.spent if entry.kind is Kind.EAGER and _is_in(entry, function)]
    started = {name for entry in ran if not any(_is_in(entry, other) for other in others) for name in entry.names}
    known = {_primitive(entry.program): entry for entry in pair.before.compiles}
    saved = [known[name] for name in known if name in started - left]
    if len(saved) <= len(new):
        return None
    return replace(pair, before=_alone(pair.before, saved), after=_alone(pair.after, new))


def _primitive(program: str) -> str:
    """The name of a program as lines that run it one by one tell it."""
    return program.removeprefix("jit(").removesuffix(")") if program.startswith("jit(") else program


def costs_nothing(pair: Pair, function: str) -> Pair | None:
    """The two runs reduced to the compiles in all calls of `function`; None if some program is new there."""
    before, after = ([entry for entry in run.compiles if _is_in(entry, function)] for run in (pair.before, pair.after))
    if _new(before, after):
        return None
    return replace(pair, before=_alone(pair.before, before), after=_alone(pair.after, after))


def _new(before: Sequence[Compile], after: Sequence[Compile]) -> list[Compile]:
    """The compiles of programs that were compiled less often before."""
    known = Counter(entry.program for entry in before)
    found = []
    for entry in after:
        known[entry.program] -= 1
        if known[entry.program] < 0:
            found.append(entry)
    return found


def saves_in_lines(pair: Pair, function: str) -> bool:
    """Whether fewer compiles were asked for by lines of `function`, in any call of it."""
    before, after = (sum(_is_in(entry, function) for entry in run.compiles) for run in (pair.before, pair.after))
    return after < before


def _only(run: Measurement, function: str, others: Sequence[str]) -> Measurement:
    kept = tuple(
        entry for entry in run.compiles if _is_in(entry, function) and not any(_is_in(entry, o) for o in others)
    )
    return _alone(run, kept)


def _alone(run: Measurement, kept: Sequence[Compile]) -> Measurement:
    """The run as if these were all of its compiles."""
    steps = tuple(_counted(step, number, kept) for number, step in enumerate(run.steps, 1))
    return replace(run, compiles=tuple(kept), steps=steps)


def _counted(step: Step, number: int, compiles: Sequence[Compile]) -> Step:
    return replace(step, compiles=sum(entry.step == number for entry in compiles))


def _is_in(entry: Compile | Spent, function: str) -> bool:
    """Whether a line of `function` (as `path:qualified name`) is in the chain of the compile."""
    path, _, qualname = function.rpartition(":")
    return any(_names(link, path, qualname) for link in entry.chain)


def _names(link: str, path: str, qualname: str) -> bool:
    place, _, where = link.partition(" in ")
    file = _CELL.sub("", place.rpartition(":")[0])
    return where == qualname and (file == path or file.endswith(f"/{path}"))
