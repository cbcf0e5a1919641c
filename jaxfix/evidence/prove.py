"""Finds which of several fixes a rerun proves. The proof of a fix is two runs that differ by it alone."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from jaxfix.evidence.apart import apart
from jaxfix.evidence.needless import compiles_nothing, is_under
from jaxfix.evidence.outputs import FUSING, MOVING, Allowed, allowed
from jaxfix.evidence.own_lines import costs_nothing, saved_alone, saved_once, saves_in_lines
from jaxfix.evidence.places import Place
from jaxfix.evidence.runs import Fixes, Key, Progress, Runner, Runs, name_of
from jaxfix.evidence.suspects import halves, that_round
from jaxfix.evidence.verdict import (
    Pair,
    counts,
    drop,
    is_blurred,
    is_held_by_memory,
    is_of_eager,
    judge,
    runs_agree,
    runs_alike,
    sides_agree,
    summary,
    too_small,
)
from jaxfix.evidence.waves import Waves
from jaxfix.report.evidence import Comparison, Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Proves
from jaxfix.report.measurement import Measurement
from jaxfix.source.frozen import frozen

Candidate = tuple[str, Fix, int]
Worth = Callable[[Measurement], Mapping[Key, float]]
Asked = tuple[Key, tuple[str, ...]]
"""A fix to leave out, and the cases to run without it."""

_WORTH_WEEDING = 3
_NOT_RUN = "not run"
_SAME_DTYPES = (Equality.BITWISE, Equality.ROUNDING, Equality.STRONGER_TYPES)
"""What is asked of fixes that pass the same dtypes."""
_LOOSEST_LAST = (
    *(Equality.BITWISE, Equality.STRONGER_TYPES, Equality.CONVERGED),
    *(Equality.NUMBERS, Equality.FUSED, Equality.ROUNDING, Equality.AS_JITTED),
)


@frozen
class Proof:
    """The results of reruns.

    Attributes:
      receipts: the evidence for each candidate, in their order.
      together: each case without any fix and with all that are proven; empty where none is.
      kept: the fixes that are proven, by path and key.
      before: the run of an unchanged program; None where optimizers were driven.
      after: its run with what is `kept`; None where that is nothing.
    """

    receipts: tuple[Evidence, ...]
    together: tuple[Comparison, ...] = ()
    kept: Fixes = frozenset()
    before: Measurement | None = None
    after: Measurement | None = None


def prove(
    candidates: Sequence[Candidate],
    patched: Callable[[Fixes], Mapping[str, bytes]],
    runner: Runner,
    progress: Progress,
    judged: Callable[[Evidence], None] = lambda receipt: None,
    worth: Worth = lambda baseline: {},
) -> Proof:
    """Judges each candidate by two runs that differ by it alone, or by what all candidates save in its lines.

    The most expensive is taken first, and left out last: of two that do the same, the cheaper one goes.

    Args:
      candidates: path, fix and line of each.
      patched: the sources, whole and by path, with exactly the fixes of these (path, key) made.
      progress: told what is run next, in words.
      judged: called with each verdict as soon as there is one; with another one where a later run overturns it.
      worth: the seconds that each fix is about, by what the run of a program as it is has shown.

    Raises:
      EvidenceError: the program cannot be run at all.
    """
    if not candidates:
        return Proof(())
    every = {(path, fix.key): (path, fix, line) for path, fix, line in candidates}
    runs = Runs({key: fix for key, (_, fix, _) in every.items()}, patched, runner, progress)
    trials: list[_Trial] = []
    for keys in Waves(runs, list(every)):
        trials = [trial for trial in trials if not trial.judges.intersection(keys)]
        runs.beside = Fixes().union(*(trial.kept for trial in trials))
        trials.append(_Trial({key: every[key] for key in keys}, runs, judged))
        trials[-1].run(worth)
    return _whole(every.values(), [trial.proof() for trial in trials])


def _whole(candidates: Iterable[Candidate], proofs: Sequence[Proof]) -> Proof:
    """The results of all parts as one; a program is one part."""
    receipts = {(entry.path, entry.key): entry for proof in proofs for entry in proof.receipts}
    together = tuple(chain.from_iterable(proof.together for proof in proofs))
    kept = Fixes().union(*(proof.kept for proof in proofs))
    return replace(
        proofs[0], receipts=tuple(receipts[path, fix.key] for path, fix, _ in candidates), together=together, kept=kept
    )


class _Trial:
    """The fixes of one wave, judged."""

    def __init__(self, candidates: Mapping[Key, Candidate], runs: Runs, judged: Callable[[Evidence], None]) -> None:
        self._judged_now = judged
        self._candidates, self._runs, self._reaches = candidates, runs, runs.reaches
        self._fixes = {key: runs.fixes[key] for key in candidates}
        self.is_broken = self._runs.is_broken
        self._kept: list[Key] = [] if self.is_broken else [key for key in self._fixes if self._cases(key)]
        self._comparisons: dict[Key, tuple[Comparison, ...]] = {}
        self._seconds: Mapping[Key, float] = {}
        self._outdone: dict[Key, list[Key]] = {}

    @property
    def judges(self) -> Fixes:
        return Fixes(self._candidates)

    @property
    def kept(self) -> Fixes:
        """What is proven."""
        return Fixes(self._kept)

    def run(self, worth: Worth) -> None:
        """Judges all of them; none where the program itself fails."""
        if self.is_broken:
            return
        self.order(worth)
        self.spare()
        self.outdo()
        self.join()
        self.credit()
        self.weed()
        self.leave_out()
        self.take_up()
        self.hold()
        self.follow()

    def order(self, worth: Worth) -> None:
        """The most expensive first, where a program has shown what they cost."""
        if (baseline := self._runs.baseline) is not None:
            self._seconds = worth(baseline)
            self._kept.sort(key=lambda key: -self._worth(key))

    def spare(self) -> None:
        """Drops donations that are too small for any run to show, as the run without fixes shows."""
        baseline = self._runs.baseline
        for key in [key for key in self._kept if self._fixes[key].proves is Proves.LESS_MEMORY]:
            name = name_of(key, self._fixes[key])
            reason = too_small(baseline, name) if baseline is not None else None
            if baseline is not None and reason is not None and self._runs.puts_under_jit(key):
                self._kept.remove(key)
                same = counts(baseline)
                self._judge(key, (Comparison(baseline.case, Verdict.NO_EFFECT, reason, same, same, _NOT_RUN, 0.0),))

    def outdo(self) -> None:
        """Drops what compiles nothing once a `jit` of another fix is around it, as the run without these shows.

        Only of programs, and of fixes that save compiles in their own function: one that makes a type stronger saves
        them in its caller. What still compiles is tried with all others; the run is wasted then.
        """
        baseline = self._runs.baseline
        for key in [key for key in self._kept if _equality(self._fixes[key]) is Equality.ROUNDING]:
            covered = self._runs.covered(key) if baseline is not None else None
            if baseline is None or covered is None or key not in self._kept:
                continue
            under = [other for other in self._kept if other != key and self._is_under(baseline, other, covered)]
            rest = [other for other in self._kept if other not in under]
            if not under or self._disagreeing(rest):
                continue
            run = self._runs.of(Fixes(rest), [baseline.case])[baseline.case]
            if compiles_nothing(run, [Place.of(self._name(other)) for other in under]):
                self._kept, self._outdone[key] = rest, under
                reason, same = f"it compiles nothing where `{self._fixes[key].function}` is under `jit`", counts(run)
                for other in under:
                    self._judge(other, (Comparison(run.case, Verdict.NO_EFFECT, reason, same, same, _NOT_RUN, 0.0),))

    def take_up(self) -> None:
        """Judges what a `jit` seemed to make needless where that `jit` itself was not proven."""
        lost = [key for top, under in self._outdone.items() if top not in self._kept for key in under]
        if lost:
            for key in lost:
                del self._comparisons[key]
            self._kept += lost
            self.join()
            self.credit()
            self.weed()
            self.leave_out()

    def _is_under(self, baseline: Measurement, key: Key, covered: Place) -> bool:
        fix = self._fixes[key]
        saves_itself = fix.proves is Proves.FEWER_COMPILES and _equality(fix) is not Equality.STRONGER_TYPES
        return saves_itself and is_under(baseline, Place.of(self._name(key)), covered)

    def _worth(self, key: Key) -> float:
        return self._seconds.get(key, 0.0)

    def proof(self) -> Proof:
        """The result."""
        receipts = tuple(map(self.evidence, self._candidates.values()))
        together, baseline = self.together(), self._runs.baseline
        if baseline is None or not self._kept:
            return Proof(receipts, together, Fixes(self._kept), baseline)
        after = self._runs.of(Fixes(self._kept), [baseline.case], beside=False)
        return Proof(receipts, together, Fixes(self._kept), baseline, after[baseline.case])

    def join(self) -> None:
        """Keeps all fixes if they hold together; of those of the cases that disagree, the largest part that holds."""
        wrong = self._disagreeing(self._kept)
        suspects = [key for key in self._kept if any(key in self._reaches[case] for case in wrong)]
        accepted = self._admitted([key for key in self._kept if key not in suspects], suspects)
        self._kept = [key for key in self._kept if key in accepted]

    def _admitted(self, accepted: list[Key], waiting: Sequence[Key]) -> list[Key]:
        """`accepted` and of `waiting` what holds with them: each fix that does not costs twice log2(n) runs."""
        if not waiting:
            return accepted
        if len(waiting) > 1:
            if not self._disagreeing([*accepted, *waiting]):
                return [*accepted, *waiting]
            first, last = self._halves(accepted, waiting)
            return self._admitted(self._admitted(accepted, first), last)
        (key,) = waiting
        comparisons = self._compared(key, Fixes(accepted), Fixes([*accepted, key]))
        if summary(comparisons)[0].is_refuted:
            self._judge(key, comparisons)
            return accepted
        return [*accepted, key]

    def _halves(self, accepted: Sequence[Key], waiting: Sequence[Key]) -> tuple[Sequence[Key], Sequence[Key]]:
        """Those of `waiting` that are likely right, and the suspects."""
        keys = [*accepted, *waiting]
        cases = [case for case in self._reaches if not self._reaches[case].isdisjoint(keys)]
        pairs = self._runs.pairs(cases, Fixes(), Fixes(keys), self._runs.known_noise)
        said = [self._difference(pair, self._reaches[pair.before.case].intersection(keys)) or "" for pair in pairs]
        rounding = that_round(pairs, {key: self._runs.jits_of(key) for key in waiting})
        return halves(waiting, said, {key: self._name(key) for key in waiting}, rounding)

    def credit(self) -> None:
        """Judges by the run of all what shows its gain in its own lines, and equals its original beside it.

        The last function of all needs no call beside: all together are as the original, the others by themselves. Nor
        does an added `jit`: with all of these taken out, every bit is that of the original, and errors would have to
        cancel. Only in programs: an optimizer is so short that leaving a fix out costs less than being less exact.
        """
        if self._runs.runner.repeats or len(self._kept) < 2:
            return
        together, cases = Fixes(self._kept), list(self._reaches)
        for pair in self._runs.pairs(cases, Fixes(), together, self._runs.noise(cases)):
            pair = self._runs.timed(pair, Fixes(), together)
            found = {key: judged for key in self._kept if (judged := self._narrow(pair, key)) is not None}
            unseen = {self._name(key) for key in self._kept if key not in found or not found[key].beside}
            for key, judged in found.items():
                if judged.beside or unseen == {self._name(key)} or self._is_exact(pair, key):
                    self._judge(key, (replace(judged, narrow=True),))

    def _is_exact(self, pair: Pair, key: Key) -> bool:
        """Whether a fix adds a `jit` that is taken out where values are compared."""
        return pair.plain is not None and _equality(self._fixes[key]) is Equality.ROUNDING

    def _name(self, key: Key) -> str:
        return name_of(key, self._fixes[key])

    def _narrow(self, pair: Pair, key: Key) -> Comparison | None:
        """A fix judged by what is seen in its own lines when all are made; None unless that proves it.

        Its results are those of all, and are held to its own promise: next to a fix that promises less it is left out.
        """
        together = Fixes(self._kept)
        if pair.after.failure is not None or (own := self._runs.own(key, together)) is None:
            return None
        narrow = saved_alone(pair, own)
        if narrow is None and all(_equality(self._fixes[other]) in _SAME_DTYPES for other in together - {key}):
            narrow = self._once(pair, key)
        if narrow is None:
            return None
        fix = self._fixes[key]
        found = judge(narrow, _equality(fix), name_of(key, fix), fix.proves, fix.raises)
        return found if found.verdict is Verdict.PROVEN else None

    def _once(self, pair: Pair, key: Key) -> Pair | None:
        """The runs reduced to a gain that no step repeats; stronger types take no program away, wherever they are."""
        fix = self._fixes[key]
        if is_of_eager(_equality(fix), fix.proves):
            others = Fixes(key for key in self._kept if _equality(self._fixes[key]) is not Equality.STRONGER_TYPES)
            own = self._runs.own(key, others)
            return None if own is None else saved_once(pair, own)
        frees = any(self._fixes[other].proves is Proves.LESS_MEMORY for other in self._kept)
        own = None if frees or fix.proves is not Proves.LESS_WORK else self._runs.own(key, Fixes(self._kept))
        return None if own is None else costs_nothing(pair, own)

    def weed(self) -> None:
        """Drops what can be left out all at once, or half by half, without costing a compile anywhere.

        Not tried of what saves compiles in its own lines: some group would hardly ever be without one of these.
        """
        if not self._runs.runner.repeats:
            idle = [key for key in self._kept if key not in self._comparisons]
            self._weed([key for key in idle if not self._saves(key)])

    def _saves(self, key: Key) -> bool:
        cases, name = self._cases(key), name_of(key, self._fixes[key])
        return any(saves_in_lines(pair, name) for pair in self._runs.pairs(cases, Fixes(), Fixes(self._kept)))

    def _weed(self, keys: Sequence[Key]) -> None:
        if len(keys) < _WORTH_WEEDING:
            return
        together = Fixes(self._kept)
        comparisons = {key: self._compared(key, together - set(keys), together) for key in keys}
        if all(summary(found)[0] is Verdict.NO_EFFECT for found in comparisons.values()):
            self._kept = [key for key in self._kept if key not in keys]
            for key, found in comparisons.items():
                self._judge(key, found)
            return
        middle = len(keys) // 2
        self._weed(keys[:middle])
        self._weed(keys[middle:])

    def leave_out(self) -> None:
        """Drops, one after the other, what costs nothing to leave out, the cheapest first.

        Fixes that no case reaches together are left out in the same runs: a case does what those do that it reaches. A
        fix that was judged before another one was dropped stays judged: its two runs differ by it alone.
        """
        parts = apart(sorted(self._kept, key=self._worth), self._reaches.values())
        asking = [(part, next(part, None)) for part in map(self._leaving_out, parts)]
        while asking := [(part, asked) for part, asked in asking if asked is not None]:
            if len(asking) > 1:
                keys, cases = zip(*(asked for _, asked in asking), strict=True)
                self._runs.of(Fixes(self._kept) - set(keys), chain.from_iterable(cases))
            asking = [(part, next(part, None)) for part, _ in asking]

    def _leaving_out(self, keys: Sequence[Key]) -> Iterator[Asked]:
        """Judges these one after the other; before each run the fix that it is without, and its cases."""
        for key in keys:
            if key in self._comparisons:
                continue
            found = yield from self._left_out(key)
            if summary(found)[0] is not Verdict.PROVEN:
                self._kept.remove(key)
            self._judge(key, found)

    def _left_out(self, key: Key) -> Generator[Asked, None, tuple[Comparison, ...]]:
        """The comparisons of as many cases as it takes to prove the fix; of all that can tell if it is not.

        One factory and dtype comes first, then all others at once: where it proves nothing, few of them will.
        """
        groups = self._groups(key)
        due = [group for group in groups if self._is_due(group, key)]
        others = [group for group in groups if group not in due]
        found: tuple[Comparison, ...] = ()
        cases: list[str] = []
        for more in filter(None, (due, others[:1], others[1:])):
            if summary(found)[0] is Verdict.PROVEN:
                break
            cases += chain.from_iterable(more)
            yield key, tuple(cases)
            together = Fixes(self._kept)
            found = self._compared(key, together - {key}, together, cases)
        return found

    def _is_due(self, group: Sequence[str], key: Key) -> bool:
        """Whether these cases are compared whatever others show."""
        together = Fixes(self._kept)
        hides = any(self._rises(case, together) or self._is_blurred(case, key) for case in group)
        return hides or not self._costs(group, together - {key})

    def _groups(self, key: Key) -> list[list[str]]:
        """The cases worth running, by factory and dtype: those that compile more now, the free, the narrow."""
        together = Fixes(self._kept)
        groups: dict[tuple[str, str], list[str]] = {}
        for case in self._worth_running(key):
            factory, _, dtype = case.partition(", ")
            groups.setdefault((factory, dtype.rpartition(", ")[2]), []).append(case)

        def order(group: list[str]) -> tuple[bool, bool, int]:
            rises = any(self._rises(case, together) for case in group)
            blurred = any(self._is_blurred(case, key) for case in group)
            return not (rises or blurred), self._costs(group, together - {key}), len(self._reaches[group[0]] & together)

        return sorted(groups.values(), key=order)

    def _costs(self, group: Sequence[str], fixes: Fixes) -> bool:
        """Whether some case has not been run with these fixes yet."""
        return any(not self._runs.has(case, fixes) for case in group)

    def _is_blurred(self, case: str, key: Key) -> bool:
        """Whether a fix that may move results was there too when all were run, so that nothing was seen of this one."""
        others = [
            _equality(self._fixes[other]) for other in self._kept if other != key and other in self._reaches[case]
        ]
        return any(other in MOVING for other in others) and _equality(self._fixes[key]) not in MOVING

    def _rises(self, case: str, together: Fixes) -> bool:
        """Whether all fixes together cost compiles in this case, which may be the doing of any of them."""
        before, after = self._runs.of(Fixes(), [case])[case], self._runs.of(together, [case])[case]
        return after.steady_compiles > before.steady_compiles or len(after.compiles) > len(before.compiles)

    def hold(self) -> None:
        """Takes back what is left if, without what was dropped, it no longer agrees with the original."""
        if not self._disagreeing(self._kept):
            return
        together, self._kept = self._kept, []
        for key in together:
            self._judge(key, self._compared(key, Fixes(), Fixes(together)))

    def follow(self) -> None:
        """Judges donations to functions that only fixes which are proven have made: no run without these calls them."""
        baseline = self._runs.baseline
        if baseline is None or not self._kept:
            return
        for key in [
            key for key in self._fixes if self._fixes[key].proves is Proves.LESS_MEMORY and not self._cases(key)
        ]:
            together, name = Fixes(self._kept), name_of(key, self._fixes[key])
            run = self._runs.of(together, [baseline.case], beside=False)[baseline.case]
            if name not in run.functions:
                continue
            reason, same = too_small(run, name), counts(run)
            if reason is not None:
                self._judge(key, (Comparison(run.case, Verdict.NO_EFFECT, reason, same, same, _NOT_RUN, 0.0),))
                continue
            self._reaches[run.case] |= {key}
            found = self._compared(key, together, together | {key})
            self._kept += [key] if summary(found)[0] is Verdict.PROVEN else []
            self._judge(key, found)

    def _judge(self, key: Key, found: tuple[Comparison, ...]) -> None:
        """Records the verdict of a fix, and reports it."""
        self._comparisons[key] = found
        self._judged_now(self.evidence(self._candidates[key]))

    def together(self) -> tuple[Comparison, ...]:
        """What all proven fixes do together, case by case; of several promises the loosest one is asked."""
        cases = [case for case in self._reaches if not self._reaches[case].isdisjoint(self._kept)]
        found = []
        for pair in self._runs.pairs(cases, Fixes(), Fixes(self._kept), self._runs.known_noise):
            mine = [key for key in self._kept if key in self._reaches[pair.before.case]]
            loosest = max(mine, key=partial(self._looseness, pair))
            fix = self._fixes[loosest]
            found.append(judge(pair, _equality(fix), name_of(loosest, fix), fix.proves, fix.raises))
        return tuple(found)

    def _looseness(self, pair: Pair, key: Key) -> tuple[bool, tuple[int, ...]]:
        """What is asked of a fix of a case in order, that of a cured case by its cure."""
        fix = self._fixes[key]
        return pair.is_cured(fix.proves), _looseness(fix)

    def evidence(self, candidate: Candidate) -> Evidence:
        path, fix, line = candidate
        key = (path, fix.key)
        comparisons = tuple(sorted(self._comparisons.get(key, ()), key=_telling))
        verdict, reason = summary(comparisons)
        cut_off = self._runs.cut_off.get(name_of(key, fix))
        if not comparisons and cut_off and not self._cases(key):
            verdict, reason = Verdict.NOT_REACHED, f"{cut_off}: raise `--timeout`"
        elif not comparisons and (why := self._runs.failure(key)) and (self.is_broken or not self._cases(key)):
            verdict, reason = Verdict.FAILED, f"fails without any fix: {why}"
        elif not comparisons:
            verdict, reason = Verdict.NOT_REACHED, f"nothing that was run calls `{fix.function}`{self._runs.stopping}"
        elif verdict is Verdict.PROVEN and key not in self._kept:
            verdict, reason = Verdict.NOT_COMPARED, "holds only together with fixes that were dropped"
        reason += self._lost(key, {entry.case for entry in comparisons})
        return Evidence(
            path=path,
            key=fix.key,
            codemod=fix.codemod,
            title=fix.title,
            line=line,
            verdict=verdict,
            reason=reason,
            comparisons=comparisons,
            environment=self._runs.environment,
            command=self._runs.runner.command,
            source_sha256=self._runs.runner.sha256(path),
        )

    def _lost(self, key: Key, compared: Collection[str]) -> str:
        """In words that end a reason, what else is of the fix, fails as it is, and so tells nothing of it."""
        runs = self._runs.of(Fixes(), self._reaches).values() if compared else ()
        name, subjects = name_of(key, self._fixes[key]), set(map(_subject, compared))
        lost = [
            f"{run.case} ({run.failure})"
            for run in runs
            if run.failure and run.case not in compared
            # a process that ended has not told what it had called
            if name in run.functions or (not run.functions and _subject(run.case) in subjects)
        ]
        return f"; {len(lost)} case{'s' * (len(lost) > 1)} could not be run: {', '.join(lost)}" if lost else ""

    def _cases(self, key: Key) -> list[str]:
        return [case for case, keys in self._reaches.items() if key in keys]

    def _disagreeing(self, keys: Sequence[Key]) -> list[str]:
        """The cases in which these fixes together change something that none of them may change."""
        cases = [case for case in self._reaches if not self._reaches[case].isdisjoint(keys)]

        def disagreeing(pairs: Iterable[Pair]) -> list[str]:
            chosen = ((pair, self._reaches[pair.before.case].intersection(keys)) for pair in pairs)
            return [pair.before.case for pair, mine in chosen if not self._agrees(pair, mine)]

        pairs = self._runs.pairs(cases, Fixes(), Fixes(keys))
        suspects = disagreeing(pairs)
        broken = [case for case in suspects if case in map(_case_that_fails, pairs)]  # no noise excuses that
        noisy = [case for case in suspects if case not in broken]
        return broken + disagreeing(self._runs.pairs(noisy, Fixes(), Fixes(keys), self._runs.noise(noisy)))

    def _agrees(self, pair: Pair, keys: Iterable[Key]) -> bool:
        return self._difference(pair, keys) is None

    def _difference(self, pair: Pair, keys: Iterable[Key]) -> str | None:
        """What these fixes change that none of them may change, in words with the function that shows it."""
        case, keys = pair.before.case, Fixes(keys)
        may, as_jitted, cured = Allowed(), False, False
        if pair.fails_alike:
            return None
        for key in keys:
            equality, proves = _equality(self._fixes[key]), self._fixes[key].proves
            if pair.tells_nothing(proves):
                return None
            may |= allowed(equality, case, name_of(key, self._fixes[key]), is_plain=pair.plain is not None)
            as_jitted = as_jitted or equality in FUSING
            cured = cured or pair.is_cured(proves)
        found = runs_agree(pair, may, as_jitted=as_jitted, cured=cured).difference
        if found is not None or cured:
            return found
        return next((self._name(key) for key in keys if not self._is_alike_beside(pair, key, keys)), None)

    def _is_alike_beside(self, pair: Pair, key: Key, made: Fixes) -> bool:
        """Whether the function of `key` agrees with its original as far as the loosest of its fixes lets it."""
        may = Allowed()
        name = name_of(key, self._fixes[key])
        for fix in (self._fixes[other] for other in (key, *self._sharing(key, made))):
            may |= allowed(_equality(fix), pair.before.case, name, is_plain=pair.plain is not None)
            may = replace(may, raises=may.raises | frozenset(fix.raises))
        return sides_agree(pair, may, {name}).difference is None

    def _sharing(self, key: Key, made: Fixes) -> Fixes:
        """The other fixes of the same function, and of those within it."""
        name = name_of(key, self._fixes[key])
        others = {other: name_of(other, self._fixes[other]) for other in made - {key}}
        return Fixes(other for other, held in others.items() if held == name or held.startswith(f"{name}.<locals>."))

    def _looser(self, key: Key, made: Fixes) -> Fixes:
        """Those of them that promise less: beside the original, they would hide what this one does.

        None whose added `jit` is taken out where originals are called: there they owe each bit, too.
        """
        looser = (other for other in self._sharing(key, made) if self._rank(other) > self._rank(key))
        return Fixes(other for other in looser if _equality(self._fixes[other]) is not Equality.ROUNDING)

    def _rank(self, key: Key) -> int:
        """The place of what is asked of the results in the order of promises, the strictest first."""
        return _LOOSEST_LAST.index(_equality(self._fixes[key]))

    def _worth_running(self, key: Key) -> list[str]:
        """The cases of a fix in which leaving it out can tell something, or costs no run.

        Where all fixes together leave the counts unchanged, and the results as `join` has seen, one fix less does
        too, and the slowest cases are often of that kind.
        """
        together = Fixes(self._kept)
        cases = self._cases(key)
        before, after = self._runs.of(Fixes(), cases), self._runs.of(together, cases)
        telling = [
            case
            for case in cases
            if before[case].failure != after[case].failure
            or before[case].steady_compiles != after[case].steady_compiles
            or len(after[case].compiles) < len(before[case].compiles)
            or self._is_blurred(case, key)
        ]
        return [case for case in cases if case in telling or self._reaches[case] & together == {key}] or cases

    def _compared(
        self, key: Key, without: Fixes, with_it: Fixes, cases: Sequence[str] | None = None
    ) -> tuple[Comparison, ...]:
        """The comparisons of all cases of the fix; a failure that both runs share counts only if every case has it."""
        cases = self._cases(key) if cases is None else cases
        fix = self._fixes[key]
        like = fix.proves is Proves.LESS_MEMORY  # what is kept for the originals counts in the peaks of both sides
        pairs = self._runs.pairs(cases, without, with_it, beside=like, as_made=True)
        as_made = self._runs.shares_jits(without, with_it) and all(self._agrees(pair, {key}) for pair in pairs)
        if not as_made:
            pairs = self._runs.pairs(cases, without, with_it, beside=like)
        suspects = [
            pair.before.case
            for pair in pairs
            if not self._agrees(pair, {key}) and pair.before.failure == pair.after.failure
        ]
        noisy = suspects if self._runs.runner.repeats else cases
        noise = self._runs.noise(noisy)
        pairs = self._runs.pairs(cases, without, with_it, noise, beside=like, as_made=as_made)
        pairs = [self._runs.timed(pair, without, with_it) for pair in pairs]
        telling = [pair for pair in pairs if not pair.tells_nothing(fix.proves)] or pairs
        is_open = is_blurred if like else partial(is_held_by_memory, proves=fix.proves)
        telling = [self._runs.settled(pair, without, with_it, is_open) for pair in telling]
        if not self._runs.runner.calls_originals:
            return self._judged(key, telling, None)
        apart = self._looser(key, with_it)
        found = self._judged(key, telling, with_it - apart if apart else None)
        others = self._sharing(key, with_it)
        if others != apart and summary(found)[0].is_refuted and not any(self._differ(key, pair) for pair in telling):
            # beside its original alone, it may be the doing of another one that is wrong
            found = self._judged(key, telling, with_it - others)
        return found

    def _differ(self, key: Key, pair: Pair) -> bool:
        """Whether the two runs of a fix differ, whatever it returns beside its original."""
        fix = self._fixes[key]
        return runs_alike(pair, _equality(fix), name_of(key, fix), fix.proves, fix.raises).difference is not None

    def _judged(self, key: Key, pairs: Sequence[Pair], made: Fixes | None) -> tuple[Comparison, ...]:
        """The pairs judged; with what its function shows beside its original where no more than `made` is made."""
        fix, cases = self._fixes[key], [pair.before.case for pair in pairs]
        if made is not None:
            own = self._runs.pairs(cases, made - {key}, made)
            pairs = [replace(pair, sides=side.compared) for pair, side in zip(pairs, own, strict=True)]
        return tuple(judge(pair, _equality(fix), name_of(key, fix), fix.proves, fix.raises) for pair in pairs)


def _equality(fix: Fix) -> Equality:
    """What is asked of the results; every bit of a fix that promises nothing and is run anyway."""
    return fix.equality or Equality.BITWISE


def _looseness(fix: Fix) -> tuple[int, ...]:
    """The order of the equalities, the strictest first: a fix lets a run continue that raised."""
    kinds = _equality(fix) in FUSING, fix.proves.cures
    return *kinds, _LOOSEST_LAST.index(_equality(fix)), fix.proves is not Proves.LESS_MEMORY


def _case_that_fails(pair: Pair) -> str | None:
    """The case of the pair if its runs do not end alike."""
    return pair.before.case if pair.before.failure != pair.after.failure else None


def _telling(comparison: Comparison) -> tuple[int, int, int, str]:
    order = [Verdict.DIFFERENT, Verdict.FAILED, Verdict.SLOWER, Verdict.PROVEN]
    rank = order.index(comparison.verdict) if comparison.verdict in order else len(order)
    steady, total = drop(comparison)
    return rank, -steady, -total, comparison.case


def _subject(case: str) -> str:
    """What a case drives, in whatever mode."""
    return case.partition(",")[0]
