"""The runs of a program: with every set of fixes at most once, from memory where they are known."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, Protocol

from jaxfix.evidence import effects
from jaxfix.evidence.bare import Bare, bare
from jaxfix.evidence.outputs import SILENCE, Noise, raises_curable
from jaxfix.evidence.places import Lines, Own, Place, own, replaced, told_apart
from jaxfix.evidence.repeated import is_repeated, needs_peaks, only_jits
from jaxfix.evidence.slower import RUNS, is_longer, limit_of, warm_times
from jaxfix.evidence.verdict import Pair, Plain, is_blurred, unfinished, with_peak
from jaxfix.report.finding import Equality, Fix, Proves
from jaxfix.report.measurement import Environment, Measurement

Key = tuple[str, str]
Fixes = frozenset[Key]
Text = frozenset[tuple[str, bytes]]
Progress = Callable[[str], None]

_MOST_PEAKS = 3
"""How often the memory of a run is measured until it tells something: what else the machine does adds to a peak, and
never takes from it, so the least of several is nearest to what the program needs."""


class Bared(NamedTuple):
    """A run without the `jit` that fixes have added, and whether the originals were called beside."""

    run: Measurement
    beside: bool


class Runner(Protocol):
    """Measures a program, or several cases of it, with other sources than those on the disk.

    Attributes:
      repeats: whether two runs of the same sources are known to be the same; a user's program need not be.
      calls_originals: whether it can call the originals beside the rewritten functions, which takes its time.
      room: how many cases it runs at the same time.
    """

    command: str
    repeats: bool
    calls_originals: bool
    room: int

    def expected(self) -> Mapping[str, frozenset[str] | None]:
        """Each case with the functions that it is expected to call; None where it may be any."""
        ...

    def measure(
        self,
        sources: Mapping[str, bytes],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        """One run of each case with these sources; without calls of the originals where `beside` is false.

        Args:
          again: whether only that counts what it differs in from an equal run: what it compiles takes no time twice.
        """
        ...

    def sha256(self, path: str) -> str: ...

    def original(self, path: str) -> bytes | None:
        """The file on the disk; None where there is none."""


class Runs:
    """The measurements of each case with each set of fixes.

    Attributes:
      fixes: with what each is held to.
      expected: of each case the functions that it may call, as far as that is known before it is run.
      reaches: of each case that was run the fixes whose functions it calls. What it does depends on these alone, so a
        run serves for every set with the same.
      baseline: the first run of an unchanged program; None of what is driven.
      environment: where it ran; None where nothing says so.
      beside: fixes that are proven apart from those that are asked about: they are made wherever some are.
      cut_off: of functions that a case would call, why that tells nothing: it did not end in time.
      known_noise: what two runs of the original differ by, of the cases of which that is known.
    """

    def __init__(
        self,
        fixes: Mapping[Key, Fix],
        patched: Callable[[Fixes], Mapping[str, bytes]],
        runner: Runner,
        progress: Progress,
    ) -> None:
        self.runner = runner
        self.fixes, self._patched, self._progress = dict(fixes), patched, progress
        self.fixes |= {key: replace(fix, equality=Equality.AS_JITTED) for key, fix in fixes.items() if self._stays(key)}
        self.baseline: Measurement | None = None
        self.environment: Environment | None = None
        self.beside = Fixes()
        self.expected = runner.expected()
        self.reaches: dict[str, Fixes] = {}
        self.cut_off: dict[str, str] = {}
        self.known_noise: dict[str, Noise] = {}
        self._runs: dict[tuple[str, Fixes], Measurement] = {}
        self._texts: dict[tuple[str, Text], Fixes] = {}
        self._hurried: set[tuple[str, Fixes]] = set()
        self._peaks: dict[tuple[str, Fixes], list[int]] = {}
        self._bare: dict[tuple[str, Fixes], Bared] = {}
        self._bare_texts: dict[tuple[str, Text], Bared] = {}
        self._bare_sources: dict[Fixes, Bare] = {}
        self._lines: dict[Fixes, dict[Key, Lines]] = {}

    def begin(self, cases: Sequence[str]) -> None:
        """Runs those of these cases without any fix that have not been."""
        missing = [case for case in cases if case not in self.reaches]
        if not missing:
            return
        some = f"{len(missing)} of {len(self.expected)} cases" if self.runner.repeats else "it"
        self._progress(f"running {some} unchanged")
        baseline = self.runner.measure(self._patched(Fixes()), frozenset(missing))
        self.baseline = baseline[0] if not self.runner.repeats else None
        self.environment = self.environment or next((run.environment for run in baseline if run.environment), None)
        for run in baseline:
            self.reaches[run.case] = Fixes(key for key, fix in self.fixes.items() if _calls(run, name_of(key, fix)))
            self._runs[run.case, Fixes()] = run
            if _is_cut_off(run):
                self.cut_off |= dict.fromkeys(run.functions, f"`{run.case}` was {run.failure}")
        self._reach_behind_errors(baseline)

    @property
    def stopping(self) -> str:
        """That a program was stopped before its end, in words that end a sentence; empty if it was not."""
        return unfinished(self.baseline) if self.baseline is not None else ""

    def failure(self, key: Key) -> str | None:
        """Why the first case fails as it is that may call the function of the fix; None if none does."""
        name = name_of(key, self.fixes[key])
        cases = [case for case, names in self.expected.items() if names is None or name in names]
        runs = (self._runs[case, Fixes()] for case in cases if case in self.reaches)
        return next((run.failure for run in runs if run.failure), None)

    @property
    def _cures(self) -> Fixes:
        return Fixes(key for key, fix in self.fixes.items() if fix.proves.cures)

    @property
    def is_broken(self) -> bool:
        """Whether it is a program that fails as it is, which no fix is there to cure: no further run tells anything."""
        run = self.baseline
        if run is None or run.failure is None or run.stopped is not None:
            return False
        return not (self._cures and raises_curable(run))

    def _reach_behind_errors(self, baseline: Iterable[Measurement]) -> None:
        """Counts as reached what a case calls once all errors are cured that fixes can cure: one hides the next."""
        cures = self._cures
        ended = frozenset(run.case for run in baseline if raises_curable(run))
        if not (cures and ended):
            return
        self._progress(f"running it with {self._told(cures)}")
        for run in self.runner.measure(self._made(cures), ended):
            self.reaches[run.case] |= {key for key, fix in self.fixes.items() if _calls(run, name_of(key, fix))}
            self._remember(run, cures & self.reaches[run.case], beside=True)

    def _made(self, fixes: Fixes) -> Mapping[str, bytes]:
        """The sources with these fixes, and with those that are proven apart from them."""
        return self._patched(fixes | self.beside if fixes else fixes)

    def has(self, case: str, fixes: Fixes) -> bool:
        """Whether the case has been run with these fixes."""
        return (case, fixes & self.reaches[case]) in self._runs

    def of(self, fixes: Fixes, cases: Iterable[str], *, beside: bool = True) -> dict[str, Measurement]:
        """One run of each case with these fixes made; from memory where it has been run.

        Args:
          beside: whether the originals have to be called too. What a fix is left out of is compared with what it is
            made in, whose originals were called: to call them again would take longer than many a program.
        """
        beside = beside and not self._without_jit(fixes).names  # they are called where the added `jit` is taken out
        wanted = {case: (case, fixes & self.reaches[case]) for case in cases}
        known = self._runs.keys() - self._hurried if beside else self._runs.keys()
        missing = frozenset(case for case, name in wanted.items() if name not in known)
        if missing:
            missing -= self._known_by_text(fixes, missing, beside=beside)
        if missing:
            self._progress(f"running it with {self._told(fixes)}")
            sources = self._made(fixes)
            for run in self.runner.measure(sources, missing, beside=beside):
                self._texts[run.case, _text(sources)] = fixes & self.reaches[run.case]
                self._remember(run, fixes & self.reaches[run.case], beside=beside)
        return {case: self._runs[name] for case, name in wanted.items()}

    def _known_by_text(self, fixes: Fixes, cases: frozenset[str], *, beside: bool) -> frozenset[str]:
        """Of `cases` those that were run with other fixes that make the same text, remembered for these."""
        text, found = _text(self._made(fixes)), set[str]()
        for case in cases:
            twin = self._texts.get((case, text))
            if twin is not None and not (beside and (case, twin) in self._hurried):
                name = (case, fixes & self.reaches[case])
                self._runs[name] = self._runs[case, twin]
                self._hurried |= {name} if (case, twin) in self._hurried else set()
                found.add(case)
        return frozenset(found)

    def _remember(self, run: Measurement, fixes: Fixes, *, beside: bool) -> None:
        self._runs[run.case, fixes] = run
        if beside or not fixes or not self.runner.calls_originals:
            self._hurried.discard((run.case, fixes))
        else:
            self._hurried.add((run.case, fixes))

    def settled(self, pair: Pair, without: Fixes, with_it: Fixes, is_open: Callable[[Pair], bool] = is_blurred) -> Pair:
        """The pair with the least peaks of several runs, where those of one run each leave it open."""
        sides = [self._measured(pair.before, without), self._measured(pair.after, with_it)]
        pair = _with_least(pair, sides)
        while is_open(pair) and (fewest := min(map(len, sides))) < _MOST_PEAKS:
            for side, fixes in zip(sides, (without, with_it), strict=True):
                if len(side) == fewest:
                    self._measure_memory(side, pair.before.case, fixes)
            pair = _with_least(pair, sides)
        return pair

    def timed(self, pair: Pair, without: Fixes, with_it: Fixes) -> Pair:
        """The pair with the times of more runs, where a warm step seems to take much longer with the fixes."""
        times, limit = [warm_times(pair.before, pair.after)], limit_of({self.fixes[key].proves for key in with_it})
        while len(times) < RUNS and times[-1] is not None and is_longer(times[-1], limit) and not self.runner.repeats:
            self._progress("running it once more, for its time")
            case = frozenset({pair.before.case})
            sides = [self.runner.measure(self._patched(fixes), case, beside=False) for fixes in (without, with_it)]
            times.append(warm_times(*(run for (run,) in sides)))
        return replace(pair, times=tuple(entry for entry in times if entry is not None))

    def _measured(self, run: Measurement, fixes: Fixes) -> list[int]:
        """The peaks of memory of all runs with these fixes, from now on."""
        return self._peaks.setdefault((run.case, fixes & self.reaches[run.case]), [run.memory_bytes])

    def _measure_memory(self, known: list[int], case: str, fixes: Fixes) -> None:
        self._progress("running it once more, for its memory")
        beside = not self._without_jit(fixes).names  # as in the first run: what is kept for the originals counts, too
        (run,) = self.runner.measure(self._patched(fixes), frozenset({case}), beside=beside)
        known.append(max(known) if run.failure is not None else run.memory_bytes)

    def pairs(
        self,
        cases: Sequence[str],
        without: Fixes,
        with_it: Fixes,
        noises: Mapping[str, Noise] = MappingProxyType({}),
        *,
        beside: bool = False,
        as_made: bool = False,
    ) -> list[Pair]:
        """Each case with the fewer and with the more fixes, and what is known of its noise.

        Args:
          beside: whether the originals have to be called with the fewer fixes too.
          as_made: whether both are compared under the `jit` that was added, where that is the same; only the originals
            are called where it is taken out.
        """
        before, after = self.of(without, cases, beside=beside), self.of(with_it, cases)
        is_shared = as_made and self.shares_jits(without, with_it)
        plain = {} if is_shared else self._plain(cases, without, with_it)
        sides = self._bare_of(with_it, cases, beside=True) if is_shared else {}
        found = []
        for case in cases:
            twin, noise = before.get(_twin(case)), noises.get(case, SILENCE)
            pair = Pair.of(before[case], after[case], twin, noise)
            pair = replace(pair, plain=plain.get(case), sides=sides.get(case))
            donating, passing = (self._proving(with_it, each) for each in (Proves.LESS_MEMORY, Proves.LESS_DATA))
            pair = replace(pair, donating=donating, passing=passing)
            found.append(pair)
        return found

    def shares_jits(self, without: Fixes, with_it: Fixes) -> bool:
        """Whether both have the same `jit` that fixes have added."""
        fewer, more = (self._without_jit(fixes).names for fixes in (without, with_it))
        return bool(more) and fewer == more

    def _proving(self, fixes: Fixes, proves: Proves) -> frozenset[str]:
        """The functions of those that claim this."""
        chosen = {key: self.fixes[key] for key in fixes}
        return frozenset(name_of(key, fix) for key, fix in chosen.items() if fix.proves is proves)

    def _plain(self, cases: Sequence[str], without: Fixes, with_it: Fixes) -> dict[str, Plain]:
        """The same with the `jit` that fixes have added taken out; of no case where none has."""
        sides = [self._without_jit(fixes).names for fixes in (without, with_it)]
        if not any(sides):
            return {}
        before, after = self._bare_of(without, cases, beside=False), self._bare_of(with_it, cases, beside=True)
        return {case: Plain(before[case], after[case], sides[1] - sides[0]) for case in cases}

    def _bare_of(self, fixes: Fixes, cases: Sequence[str], *, beside: bool) -> dict[str, Measurement]:
        """As `of`, with the added `jit` taken out: what a fix is left out of calls no originals there either."""
        taken_out = self._without_jit(fixes)
        if not taken_out.names:
            return self.of(fixes, cases, beside=beside)
        names = {case: (case, fixes & self.reaches[case]) for case in cases}
        text = _text(taken_out.sources)
        for case in [case for case, name in names.items() if not self._is_bare(name, beside=beside)]:
            twin = self._bare_texts.get((case, text)) or (None if beside else self._wider(case, fixes))
            if twin is not None and (names[case] not in self._bare or twin.beside):
                self._bare[names[case]] = twin
        if missing := {case for case, name in names.items() if not self._is_bare(name, beside=beside)}:
            self._progress(f"running it with {self._told(fixes)}, the added `jit` taken out")
            for run in self.runner.measure(taken_out.sources, frozenset(missing), beside=beside):
                found = Bared(run, beside)
                self._bare[run.case, fixes & self.reaches[run.case]] = self._bare_texts[run.case, text] = found
        return {case: self._bare[name].run for case, name in names.items()}

    def _is_bare(self, name: tuple[str, Fixes], *, beside: bool) -> bool:
        return name in self._bare and self._bare[name].beside >= beside

    def _wider(self, case: str, fixes: Fixes) -> Bared | None:
        """A run of more fixes, their `jit` taken out, that did all that the original does: with fewer it does, too.

        Errors of two would have to cancel. It serves for what a fix is left out of, never for what it is made in.
        """
        names = self._without_jit(fixes).names
        for (of, wider), bared in self._bare.items():
            has_all = of == case and fixes < wider and names <= self._without_jit(wider).names
            if has_all and self._repeats(case, wider):
                return bared
        return None

    def _told(self, fixes: Fixes) -> str:
        """What is made, in words; a single one may be a change by other hands."""
        return "the change" if len(self.fixes) == len(fixes) == 1 else f"{len(fixes)} of {len(self.fixes)} fixes"

    def _stays(self, key: Key) -> bool:
        """Whether the `jit` that a fix adds is not found in its text, and so cannot be taken out.

        A fix that is made only where another one is, is found in the text of all.
        """
        if self.fixes[key].equality is not Equality.ROUNDING or self._taken_out(Fixes(), Fixes({key})).names:
            return False
        return not self._taken_out(Fixes(self.fixes.keys() - {key}), Fixes(self.fixes)).names

    def puts_under_jit(self, key: Key) -> bool:
        """Whether the function of a fix itself is what its `jit` is written at, so that it returns what `jit` does."""
        return name_of(key, self.fixes[key]) in self.jits_of(key)

    def jits_of(self, key: Key) -> frozenset[str]:
        """The names of what a fix, made alone, puts under `jit`."""
        return self._taken_out(Fixes(), Fixes({key})).names

    def covered(self, key: Key) -> Place | None:
        """What a fix, made alone, puts under a new `jit`: lines that it moves, or all of its function."""
        lines = self._changed(key, Fixes({key}))
        if lines is None or not any(lines):
            return None  # alone it changes nothing
        function = Place.of(name_of(key, self.fixes[key]))
        return replace(function, lines=lines[0]) if lines[0] else function

    def own(self, key: Key, made: Fixes) -> Own | None:
        """The part of the runs that belongs to one fix; None where its lines belong to others too."""
        if made not in self._lines:
            found = {each: lines for each in made if (lines := self._changed(each, made)) is not None}
            self._lines[made] = told_apart(found)
        functions = {each: Place.of(name_of(each, self.fixes[each])) for each in sorted(made)}
        staging = [each for each in made if self.fixes[each].equality is Equality.ROUNDING]
        mine = own(key, functions, self._lines[made], staging)
        every = tuple(Place.of(name_of(each, fix)) for each, fix in self.fixes.items())
        return None if mine is None else replace(mine, functions=every)

    def _changed(self, key: Key, made: Fixes) -> Lines | None:
        """The lines of the original that all fixes replace and not without this one, and what it makes of them."""
        path = key[0]
        first, without, last = (
            self._patched(fixes).get(path) or self.runner.original(path) or b""
            for fixes in (Fixes(), made - {key}, made)
        )
        few, all_, added = (replaced(*texts, path) for texts in ((first, without), (first, last), (without, last)))
        return None if few is None or all_ is None or added is None else (all_[0] - few[0], added[1])

    def _without_jit(self, fixes: Fixes) -> Bare:
        """The sources with these fixes and without the `jit` that those of them have added that let XLA fuse."""
        if fixes not in self._bare_sources:
            fusing = frozenset(key for key in fixes if self.fixes[key].equality is Equality.ROUNDING)
            self._bare_sources[fixes] = self._taken_out(fixes - fusing, fixes) if fusing else Bare({}, frozenset())
        return self._bare_sources[fixes]

    def _taken_out(self, without: Fixes, with_it: Fixes) -> Bare:
        if self.runner.repeats:  # what is driven runs under `jit` as well
            return Bare({}, frozenset())
        fewer, more = self._patched(without), self._patched(with_it)
        originals = {path: self.runner.original(path) for path in more if path not in fewer}
        return bare({**{path: text for path, text in originals.items() if text is not None}, **fewer}, more)

    def noise(self, cases: Sequence[str]) -> dict[str, Noise]:
        """What differs between two runs of the original: nothing that it makes differ is held against a fix."""
        self.known_noise |= {case: SILENCE for case in cases if case not in self.known_noise and self._is_silent(case)}
        missing = frozenset(cases) - self.known_noise.keys()
        if missing:
            self._progress("running it unchanged once more")
            again = not needs_peaks(self.fixes.values())  # what is kept takes memory
            for second in self.runner.measure(self._patched(Fixes()), missing, again=again):
                first = self._runs[(second.case, Fixes())]
                self.known_noise[second.case] = effects.noise(first, second)
                self._measured(first, Fixes()).append(second.memory_bytes)
        return {case: self.known_noise[case] for case in cases}

    def _is_silent(self, case: str) -> bool:
        """Whether a run without an added `jit` has already done all that the original did."""
        made = (fixes for of, fixes in self._bare if of == case)
        return not needs_peaks(self.fixes.values()) and any(self._repeats(case, fixes) for fixes in made)

    def _repeats(self, case: str, fixes: Fixes) -> bool:
        """Whether the run with these fixes did all that the original does, once the `jit` that they add is out."""
        is_of_jits = bool(fixes) and only_jits(self.fixes[key] for key in fixes)
        known = self.known_noise.get(case, SILENCE)
        return is_of_jits and is_repeated(self._runs[case, Fixes()], self._bare[case, fixes].run, known)


def _text(sources: Mapping[str, bytes]) -> Text:
    return frozenset(sources.items())


def name_of(key: Key, fix: Fix) -> str:
    """How measurements name the function of a fix."""
    return f"{key[0]}:{fix.function}"


def _calls(run: Measurement, name: str) -> bool:
    return name in run.functions and not _is_cut_off(run)


def _is_cut_off(run: Measurement) -> bool:
    return run.failure is not None and run.stopped is not None


def _with_least(pair: Pair, peaks: Sequence[Sequence[int]]) -> Pair:
    """The pair with the least peaks of both sides; its noise is what the two least of a side differ by."""
    before, after = (with_peak(run, min(side)) for run, side in zip((pair.before, pair.after), peaks, strict=True))
    apart = [ordered[1] - ordered[0] for ordered in map(sorted, peaks) if len(ordered) > 1]
    return replace(
        pair, before=before, after=after, noise=replace(pair.noise, peak=max(apart, default=pair.noise.peak))
    )


def _twin(case: str) -> str:
    """The jitted case of an eager one; no case's name if there is none."""
    return case.replace(", eager, ", ", jit, ") if ", eager, " in case else ""
