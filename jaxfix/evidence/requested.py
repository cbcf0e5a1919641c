"""Judges changes of results that a user has asked for: they are what the option says, and nothing else is.

What may differ is measured: beside the fix, the same change is made in another way, its reference. Of other random
numbers that is the same split of another key: what both have in common does not depend on the numbers, and has to be as
it was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from jaxfix.evidence import effects
from jaxfix.evidence.outputs import NUMBER, TOLERANCE, VARIABLE, YIELDED, Allowed, Noise, untimed
from jaxfix.evidence.runs import Fixes, Key, Progress, Runner, name_of
from jaxfix.evidence.verdict import counts, course, effect, unfinished
from jaxfix.report.evidence import KEYS, Comparison, Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Proves
from jaxfix.report.measurement import Measurement, Output
from jaxfix.source.frozen import frozen

_REUSED = "KeyReuseError"
_WORDS = {
    Equality.OTHER_NUMBERS: "bitwise equal except what depends on the random numbers, whose shapes and dtypes stay",
    Equality.FEWER_ROWS: "bitwise as the original that skips the shorter batch",
    Equality.MASKED: f"within {TOLERANCE:.0e} of the largest value, and bitwise the same with other rows as padding",
}
_UNTRIED = {Equality.MASKED: ("arrays of another rank",)}
Texts = Callable[..., Mapping[str, bytes]]
"""The sources with these fixes made; with `as_reference` in the way that is compared with."""


@frozen
class Granted:
    """The results of reruns of the requested changes.

    Attributes:
      receipts: one for each, in their order.
      kept: those that are proven.
    """

    receipts: tuple[Evidence, ...]
    kept: Fixes


def granted(
    candidates: Sequence[tuple[str, Fix, int]],
    patched: Texts,
    runner: Runner,
    checked: Runner,
    progress: Progress,
    judged: Callable[[Evidence], object] = lambda receipt: None,
) -> Granted:
    """Judges changes of one kind by runs of a program.

    Args:
      candidates: path, fix and line of each.
      runner: runs the program.
      checked: runs it with the key checker of jax.
      progress: told what is run next, in words.
      judged: called with each receipt.

    Raises:
      EvidenceError: the program cannot be run at all.
    """
    trial = _Trial(candidates, patched, runner, checked, progress)
    found = []
    for path, fix, line in candidates:
        comparison = trial.comparison((path, fix.key))
        verdict, reason = comparison.verdict, comparison.reason
        place = path, fix.key, fix.codemod, fix.title, line
        by = trial.before.environment, runner.command, runner.sha256(path)
        found.append(Evidence(*place, verdict, reason, (comparison,), *by))
        judged(found[-1])
    return Granted(tuple(found), Fixes((e.path, e.key) for e in found if e.verdict is Verdict.PROVEN))


class _Trial:
    def __init__(
        self,
        candidates: Sequence[tuple[str, Fix, int]],
        patched: Texts,
        runner: Runner,
        checked: Runner,
        progress: Progress,
    ) -> None:
        self._fixes = {(path, fix.key): fix for path, fix, _ in candidates}
        self._patched, self._runner, self._checked, self._progress = patched, runner, checked, progress
        self._runs: dict[tuple[Fixes, bool, bool], Measurement] = {}
        self.before = self._run(Fixes())
        self._noise = effects.noise(self.before, self._again()) if self.before.failure is None else Noise()
        self._refused: dict[Key, str] = {}
        self._made = Fixes(self._admitted())

    def comparison(self, key: Key) -> Comparison:
        """What the runs say of one fix."""
        made = self._made | {key}
        if self._is_reached(key) and self.before.failure is None:
            self._run(made)
        after = self._runs.get((made, False, False), self.before)
        verdict, reason = self._verdict(key)
        words = "not equal" if key in self._refused else _WORDS.get(self._equality(key), self._equality(key).value)
        sides, courses = (counts(self.before), counts(after)), (course(self.before), course(after))
        found = Comparison(self.before.case, verdict, reason, *sides, words, 0.0)
        untried = _UNTRIED.get(self._equality(key), ())
        return replace(found, course_before=courses[0], course_after=courses[1], untried=untried)

    def _verdict(self, key: Key) -> tuple[Verdict, str]:
        if self.before.failure is not None:
            return Verdict.FAILED, f"fails without any fix: {self.before.failure}"
        if not self._is_reached(key):
            fix = self._fixes[key]
            return Verdict.NOT_REACHED, f"nothing that was run calls `{fix.function}`{unfinished(self.before)}"
        if key in self._refused:
            return Verdict.DIFFERENT, self._refused[key]
        without, made = self._made - {key}, self._made
        if self._fixes[key].proves is Proves.KEYS_USED_ONCE:
            return _by_checker(self._run(without, checked=True), self._run(made, checked=True))
        return effect(counts(self._run(without)), counts(self._run(made)), self._noise)

    def _admitted(self) -> Iterable[Key]:
        """The fixes that together change nothing but what was asked; if all do not, one is added after the other."""
        reached = [key for key in self._fixes if self._is_reached(key)]
        if self.before.failure is not None or not reached or self._difference(Fixes(reached)) is None:
            return reached
        kept: list[Key] = []
        for key in reached:
            difference = self._difference(Fixes([*kept, key]))
            if difference is None:
                kept.append(key)
            else:
                self._refused[key] = difference
        return kept

    def _difference(self, made: Fixes) -> str | None:
        """The first thing that differs and may not, in words."""
        after, reference = self._run(made), self._run(made, as_reference=True)
        if any(self._equality(key) is Equality.OTHER_NUMBERS for key in made):
            return _beside_numbers(self.before, after, reference, self._noise)
        noise = self._noise
        if all(self._equality(key) is Equality.FEWER_ROWS for key in made):
            return effects.likeness(reference, after, Allowed(), noise).difference
        padded = _padded(self.before, after)
        noise = replace(noise, labels=noise.labels | padded, left=noise.left | padded)
        leaks = effects.likeness(reference, after, Allowed(), noise).difference
        return leaks or effects.likeness(self.before, after, Allowed(tolerance=TOLERANCE), noise).difference

    def _equality(self, key: Key) -> Equality:
        return self._fixes[key].equality or Equality.BITWISE

    def _is_reached(self, key: Key) -> bool:
        return name_of(key, self._fixes[key]) in self.before.functions

    def _again(self) -> Measurement:
        self._progress("running it unchanged once more")
        return self._runner.measure(self._patched(Fixes()), beside=False)[0]

    def _run(self, made: Fixes, *, as_reference: bool = False, checked: bool = False) -> Measurement:
        name = made, as_reference, checked
        if name not in self._runs:
            what = f"{len(made)} of {len(self._fixes)} changes that were asked for" if made else "no change"
            how = ", made in another way" if as_reference else ", with jax's key checker" if checked else ""
            self._progress(f"running it with {what}{how}")
            runner = self._checked if checked else self._runner
            sources = self._patched(made, as_reference=as_reference)
            self._runs[name] = runner.measure(sources, beside=False)[0]
        return self._runs[name]


def _padded(before: Measurement, after: Measurement) -> frozenset[str]:
    """What is left or yielded with other shapes: it holds a batch, with its padding and its mask."""
    old, new = ({output.label: output for output in _batches(run)} for run in (before, after))
    return frozenset(label for label in old.keys() & new.keys() if _shapes(old[label]) != _shapes(new[label]))


def _batches(run: Measurement) -> Iterator[Output]:
    yield from run.left
    yield from (output for output in run.outputs if VARIABLE in output.label or YIELDED in output.label)


def _shapes(output: Output) -> list[tuple[int, ...]]:
    return [leaf.shape for leaf in output.leaves]


def _by_checker(without: Measurement, made: Measurement) -> tuple[Verdict, str]:
    """What the key checker says of a fix: it has to raise without it, and to be silent with it."""
    if without.failure is None:
        return Verdict.NO_EFFECT, f"{KEYS} raises nothing without it"
    if _REUSED not in without.failure:
        return Verdict.NOT_COMPARED, f"with {KEYS} it fails in another way: {without.failure}"
    if made.failure is not None:
        still = "still raises" if _REUSED in made.failure else "makes it fail"
        return Verdict.NOT_COMPARED, f"{KEYS} {still}: {made.failure}"
    return Verdict.PROVEN, f"{KEYS} raises without it, and is silent with it"


def _beside_numbers(before: Measurement, after: Measurement, other: Measurement, known: Noise) -> str | None:
    """The first thing that differs beside random numbers, in words.

    Args:
      other: as `after`, with yet other random numbers.
      known: what differs between two runs of the original.
    """
    if after.failure is not None or other.failure is not None:
        return f"fails with the change: {after.failure or other.failure}"
    drawn = effects.noise(after, other)
    if drawn.ragged:
        return "how many lines it prints depends on the random numbers"
    noise = replace(
        known,
        labels=known.labels | drawn.labels,
        lines=known.lines | drawn.lines,
        left=known.left | drawn.left,
        ragged=known.ragged,
    )
    found = effects.likeness(before, after, Allowed(), noise).difference
    hanging = (drawn.labels | drawn.left) - known.labels - known.left
    return found or next(_retyped(before, after, hanging), None) or next(_reworded(before, after, drawn), None)


def _retyped(before: Measurement, after: Measurement, labels: frozenset[str]) -> Iterator[str]:
    """Values that may be others, and have another structure, shape or dtype as well."""
    old, new = ({output.label: output for output in (*run.outputs, *run.left)} for run in (before, after))
    for label in sorted(labels & (old.keys() | new.keys())):
        if label not in old or label not in new:
            if VARIABLE in label:
                continue  # the fix has names of its own
            yield f"`{label}` happened only {'with' if label in new else 'without'} the change"
        elif _types(old[label]) != _types(new[label]):
            yield f"`{label}`: {_types(old[label])} became {_types(new[label])}"


def _types(output: Output) -> list[object]:
    leaves = [(leaf.path, leaf.dtype, leaf.shape, leaf.weak_type) for leaf in output.leaves if leaf.dtype != "<bytes>"]
    return [output.treedef, *leaves]


def _reworded(before: Measurement, after: Measurement, drawn: Noise) -> Iterator[str]:
    """Printed lines whose numbers may be others, and that say something else as well."""
    lines = (untimed(run.stdout).splitlines() for run in (before, after))
    for number, (old, new) in enumerate(zip(*lines, strict=False)):
        if number in drawn.lines and NUMBER.sub("#", old).split() != NUMBER.sub("#", new).split():
            yield f"printed line {number + 1}: {old!r} became {new!r}"
