"""What a person needs to decide on a fix: its own changes, and its conflicts."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace

from jaxfix.drivers import files
from jaxfix.drivers.workflow.decisions import Choice, Decisions, Name
from jaxfix.drivers.workflow.planning import LEFT_OUT, Planned, Plans, Receipts, Taken, whatever_can_be_written
from jaxfix.drivers.workflow.targets import Target
from jaxfix.engine.analyze import analyze
from jaxfix.engine.choice import Chosen
from jaxfix.engine.holding import surroundings_after
from jaxfix.engine.plan import cook, edited, plan
from jaxfix.render.account import Key, Known
from jaxfix.report.finding import Fix
from jaxfix.report.reason import Reason
from jaxfix.report.report import Diagnostic, Patch
from jaxfix.source.edits import Edit
from jaxfix.source.errors import JaxfixError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile


@frozen
class Overlap:
    """Another fix that changes the same text.

    Attributes:
      lost: why one of the two is not made if both are taken; None where they are made one after the other.
    """

    key: str
    id: str
    title: str
    line: int
    lost: str | None


@frozen
class Candidate:
    """One fix.

    Attributes:
      patch: the file without and with it; both have the fixes that it `needs`.
      known: what reruns have shown of it, just now or before.
      held: why it is not written unless a person takes it; None where it would be.
      impossible: why it cannot be made; then there is nothing to decide.
      needs: the keys of other fixes of the file, without which there is nothing for it to do.
    """

    diagnostic: Diagnostic
    fix: Fix
    patch: Patch
    known: Known | None = None
    held: str | None = None
    impossible: str | None = None
    overlaps: tuple[Overlap, ...] = ()
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> Name:
        return Name(self.diagnostic.path, self.diagnostic.key)


@frozen
class Shown:
    """What reruns have shown: those of this session, and former ones as `accounting.remembered` has them."""

    receipts: Receipts = field(default_factory=dict)
    remembered: Mapping[Key, Known] = field(default_factory=dict)

    def of(self, name: Name) -> Known | None:
        now = self.receipts.get(name)
        return Known(now) if now is not None else self.remembered.get((files.relative(name.path), name.key))


def candidates(target: Target, shown: Shown, unasked: Taken) -> tuple[Candidate, ...]:
    """The fixes of one target in the order of the text; those that only others make possible come last.

    Args:
      unasked: what would be written without a decision.

    Raises:
      SourceError: it is not valid Python.
      BugError: a codemod or a recipe broke.
    """
    analysis = analyze(target.source, target.codemods, surroundings=target.surroundings)
    fixes = cook(analysis)
    made = _planned(target).applied
    at_once = {fix.key for fix in fixes if fix.lowered_because is None}
    late = [fix for fix in made if fix.key not in at_once]
    told = {entry.key: entry for entry in analysis.diagnostics}
    overlaps = _overlaps(target, [fix for fix in fixes if fix.key in at_once])
    held = unasked(target)

    def candidate(diagnostic: Diagnostic, fix: Fix, patch: Patch, needs: tuple[str, ...] = ()) -> Candidate:
        known = shown.of(Name(diagnostic.path, fix.key))
        others = overlaps.get(fix.key, ())
        return Candidate(
            diagnostic, fix, patch, known, text_of(held(fix)), text_of(fix.lowered_because), tuple(others), needs
        )

    last = {fix.key for fix in late}
    early = [fix for fix in fixes if fix.key not in last and told[fix.key].fixable]
    return (
        *(candidate(told[fix.key], fix, alone(target.source, fix)) for fix in early),
        *(candidate(*follower) for follower in _followers(target, late, [fix.key for fix in made])),
    )


def text_of(reason: Reason | None) -> str | None:
    """Its words."""
    return None if reason is None else reason.text


def informed(entry: Candidate, target: Target, shown: Shown, unasked: Taken) -> Candidate:
    """The same with what reruns have shown since."""
    return replace(entry, known=shown.of(entry.name), held=text_of(unasked(target)(entry.fix)))


def alone(source: SourceFile, fix: Fix, edits: tuple[Edit, ...] | None = None) -> Patch:
    """What one fix changes by itself, as its recipe or a person writes it."""
    fix = fix if edits is None else edited(fix, edits)
    chosen = Chosen(source.text)
    chosen.take(fix)
    after = source.edited(chosen.edits).raw
    return Patch(source.path, source.raw, after, (fix,) if after != source.raw else (), ())


def unlike_shown(plans: Plans, entries: Sequence[Candidate], decisions: Decisions) -> tuple[str, ...]:
    """The files whose written text differs from the sum of the accepted fixes."""
    return tuple(entry.patch.path for entry in plans.changed if not _is_sum(entry, entries, decisions))


def _is_sum(planned: Planned, entries: Sequence[Candidate], decisions: Decisions) -> bool:
    source = planned.target.source
    taken = Chosen(source.text)
    for entry in entries:
        if entry.name.path == source.path and decisions.of(entry.name) is Choice.ACCEPTED:
            own = decisions.edited.get(entry.name)
            fix = entry.fix if own is None else edited(entry.fix, own)
            if entry.needs or taken.take(fix) is not None:
                return False
    with suppress(JaxfixError):
        return source.edited(taken.edits).raw == planned.patch.after
    return False


def _followers(
    target: Target, fixes: Sequence[Fix], order: Sequence[str]
) -> Iterator[tuple[Diagnostic, Fix, Patch, tuple[str, ...]]]:
    """Fixes that there are only once others are made, and those."""
    for fix in fixes:
        needs = _needs(target, fix.key, order[: order.index(fix.key)])
        before = _planned(target, needs)
        there = SourceFile.decode(before.path, before.after)
        surroundings = surroundings_after(target.surroundings, target.source, there)
        analysis = analyze(there, target.codemods, set(needs), surroundings=surroundings)
        after = _planned(target, (*needs, fix.key)).after
        diagnostic = next(entry for entry in analysis.diagnostics if entry.key == fix.key)
        yield diagnostic, fix, Patch(before.path, before.after, after, (fix,), ()), needs


def _needs(target: Target, key: str, earlier: Sequence[str]) -> tuple[str, ...]:
    """Of the fixes that are made before this one those that make it possible: one if one does, else the first ones."""

    def is_made(others: Sequence[str]) -> bool:
        return key in _made(target, (*others, key))

    count = bisect_left(range(1, len(earlier)), True, key=lambda number: is_made(earlier[:number])) + 1
    last = tuple(earlier[count - 1 : count])
    return last if is_made(last) else tuple(earlier[:count])


def _overlaps(target: Target, fixes: Sequence[Fix]) -> Mapping[str, list[Overlap]]:
    """Of each fix those that cannot be made beside it at once.

    One of a pair is always made: the first that is chosen.
    """
    found: dict[str, list[Overlap]] = {}
    line = target.source.lines.line
    for pair in _close(fixes):
        if _go_together(target.source, pair):
            continue
        made = _made(target, tuple(fix.key for fix in pair))
        left = [fix for fix in pair if fix.key in made]
        told = target.source.placed(f"only that of line {line(left[0].at.start)} of the two is made")
        lost = None if len(left) == 2 else told
        for fix, other in (pair, pair[::-1]):
            overlap = Overlap(other.key, other.codemod, other.title, line(other.at.start), lost)
            found.setdefault(fix.key, []).append(overlap)
    return found


def _close(fixes: Sequence[Fix]) -> Iterator[tuple[Fix, Fix]]:
    """Each pair of fixes that change the same place in two ways."""
    edits = sorted((edit, number) for number, fix in enumerate(fixes) for edit in fix.edits)
    open_edits: list[tuple[Edit, int]] = []
    found: dict[tuple[int, int], None] = {}
    for edit, number in edits:
        open_edits = [entry for entry in open_edits if entry[0].span.end >= edit.span.start]
        for other, owner in open_edits:
            is_order = edit.span.start == edit.span.end and other.span == edit.span  # nothing is changed twice
            if owner != number and not is_order and other != edit and other.span.overlaps(edit.span):
                found[min(owner, number), max(owner, number)] = None
        open_edits.append((edit, number))
    return ((fixes[first], fixes[second]) for first, second in sorted(found))


def _go_together(source: SourceFile, pair: tuple[Fix, Fix]) -> bool:
    chosen = Chosen(source.text)
    return all(chosen.take(fix) is None for fix in pair)


def _made(target: Target, keys: Collection[str]) -> frozenset[str]:
    return frozenset(fix.key for fix in _planned(target, keys).applied)


def _planned(target: Target, keys: Collection[str] | None = None) -> Patch:
    """With these fixes, or with all."""
    accept = whatever_can_be_written(target)

    def reason(fix: Fix) -> Reason | None:
        return accept(fix) if keys is None or fix.key in keys else LEFT_OUT

    return plan(target.source, target.codemods, reason, target.surroundings)
