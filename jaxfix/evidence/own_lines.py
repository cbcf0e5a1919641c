"""What a fix saves in its own lines, in a run in which others save compiles as well."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from jaxfix.evidence.dispatching import are_few, are_fewer, dispatched, fewer_dispatches
from jaxfix.evidence.places import Own, Place
from jaxfix.evidence.verdict import Pair
from jaxfix.report.measurement import Compile, Kind, Measurement, Spent, Step

_WORTH_IT, _PART = 100, 0.1
"""Dispatches that must go where few compiles do, and the part of all of the run that is enough."""
_CONVERSION = "convert_element_type"


def saved_alone(pair: Pair, own: Own) -> Pair | None:
    """The two runs reduced to the compiles that lines of one fix asked for, and of no other.

    None if these do not drop in every steady step: then only a run without the fix can tell. A compile that no call of
    another rewritten function has asked for, and that is gone at every step from the third on, cannot be their doing:
    what they pass (a type that has become strong, say) is the same from the second step on.
    """
    if len(pair.before.steps) < 3 or len(pair.before.steps) != len(pair.after.steps):
        return None
    before = _alone(pair.before, _held(pair.before, own.gone, own.others))
    after = _alone(pair.after, _held(pair.after, own.function, own.made))
    steady = [(a.compiles, b.compiles) for a, b in zip(before.steps[2:], after.steps[2:], strict=True)]
    return replace(pair, before=before, after=after) if all(a > b for a, b in steady) else None


def saved_once(pair: Pair, own: Own) -> Pair | None:
    """The two runs reduced to programs that lines of one fix ran, and nothing compiles now, and to its new ones.

    None if these are not fewer, nor much fewer the dispatches of its lines. A run without the fix compiles what is gone
    again, where other fixes leave dtypes unchanged: its lines start what they started, and nothing else has made it.
    Only conversions depend on weak types as well. A new program counts wherever in a call of its function it is, but in
    lines that another fix has made; one that no function of any fix asks for counts against each. What a step is first
    to need is no compile per step.
    """
    new = _new(_held(pair.before, own.function, own.shared), _held(pair.after, own.function, own.sharing))
    new += _new(_stray(pair.before, own), _stray(pair.after, own))
    gone = [*_first_asked(pair, own), *_started(pair, own)]
    saved = [entry for entry in pair.before.compiles if any(entry is each for each in gone)]
    narrow = replace(pair, before=_at_once(pair.before, saved), after=_at_once(pair.after, new))
    by_lines = _dispatching(narrow, own)  # few compiles are not enough where hardly a dispatch is gone
    if len(saved) > len(new):
        ran = dispatched(by_lines.before) - dispatched(by_lines.after)
        is_slight = are_few(len(saved) - len(new), pair.before) and ran < min(
            _WORTH_IT, _PART * dispatched(pair.before)
        )
        return None if is_slight else narrow
    narrow = by_lines
    fewer = fewer_dispatches(narrow.before, narrow.after, pair.noise.dispatches)
    return None if fewer is None else narrow


def _dispatching(pair: Pair, own: Own) -> Pair:
    """The runs reduced to the dispatches of the function that are not of other fixes; to none where others took some.

    A line that functions share is in the chain of the first that calls it: what the run without the fix has of a
    function counts wherever the other run has it.
    """
    before = [entry for entry in _eager(pair.before, own.shared) if own.function.holds(entry)]
    homes = {(entry.path, entry.function) for entry in before}
    left = _eager(pair.after, own.sharing)
    after = [entry for entry in left if own.function.holds(entry) or (entry.path, entry.function) in homes]
    narrow = replace(pair, before=_spending(pair.before, before), after=_spending(pair.after, after))
    ran = sum(entry.count for entry in _eager(pair.before, own.others) if own.gone.holds(entry))
    is_own = ran >= dispatched(narrow.before) - dispatched(narrow.after)
    return narrow if is_own else replace(narrow, before=replace(narrow.before, spent=()))


def _spending(run: Measurement, kept: Sequence[Spent]) -> Measurement:
    """The run as if these were all of its dispatches."""
    others = (entry for entry in run.spent if entry.kind is not Kind.EAGER)
    return replace(run, spent=(*others, *kept))


def _eager(run: Measurement, others: Sequence[Place]) -> list[Spent]:
    """What lines ran one by one, without those of other fixes."""
    ran = (entry for entry in run.spent if entry.kind is Kind.EAGER)
    return [entry for entry in ran if not any(other.holds(entry) for other in others)]


def _first_asked(pair: Pair, own: Own) -> list[Compile]:
    """Programs that its lines were the first to ask for, and whose text no program of the other run has."""
    left = {entry.digest for entry in pair.after.compiles} | {None}
    asked = (entry for entry in _held(pair.before, own.gone, own.others) if entry.digest not in left)
    return [entry for entry in asked if _primitive(entry.program) != _CONVERSION]


def _started(pair: Pair, own: Own) -> list[Compile]:
    """Programs that its lines ran, asked for by others first or not, and whose name no program has now."""
    left = {_primitive(entry.program) for entry in pair.after.compiles} | {_CONVERSION}
    ran = (entry for entry in _eager(pair.before, own.others) if own.gone.holds(entry))
    started = {name for entry in ran for name in entry.names}
    known = {_primitive(entry.program): entry for entry in pair.before.compiles}
    return [known[name] for name in known if name in started - left]


def _primitive(program: str) -> str:
    """The name of a program as lines that run it one by one tell it."""
    return program.removeprefix("jit(").removesuffix(")") if program.startswith("jit(") else program


def costs_nothing(pair: Pair, own: Own) -> Pair | None:
    """The two runs reduced to the compiles in all calls of the function; None if some program is new there."""
    before, after = _held(pair.before, own.function, own.shared), _held(pair.after, own.function, own.sharing)
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
    """Whether fewer compiles were asked for by lines of `function`, in any call of it, or much fewer dispatches."""
    place = Place.of(function)
    before, after = (len(_held(run, place)) for run in (pair.before, pair.after))
    ran = [sum(entry.count for entry in _eager(run, ()) if place.holds(entry)) for run in (pair.before, pair.after)]
    return after < before or are_fewer(*ran)


def _held(run: Measurement, place: Place, others: Sequence[Place] = ()) -> list[Compile]:
    """The compiles that this place asked for, and none of the others."""
    held = (entry for entry in run.compiles if place.holds(entry))
    return [entry for entry in held if not any(other.holds(entry) for other in others)]


def _stray(run: Measurement, own: Own) -> list[Compile]:
    """The compiles that happened in calls of no function that a fix is in."""
    return [entry for entry in run.compiles if not any(function.holds(entry) for function in own.functions)]


def _alone(run: Measurement, kept: Sequence[Compile]) -> Measurement:
    """The run as if these were all of its compiles."""
    steps = tuple(_counted(step, number, kept) for number, step in enumerate(run.steps, 1))
    return replace(run, compiles=tuple(kept), steps=steps)


def _at_once(run: Measurement, kept: Sequence[Compile]) -> Measurement:
    """The same; its steps count only programs that the run had compiled before."""
    known, again = set[str](), list[Compile]()
    for entry in run.compiles:
        again += [entry] if entry.program in known and any(entry is each for each in kept) else []
        known.add(entry.program)
    return replace(run, compiles=tuple(kept), steps=_alone(run, again).steps)


def _counted(step: Step, number: int, compiles: Sequence[Compile]) -> Step:
    return replace(step, compiles=sum(entry.step == number for entry in compiles))
