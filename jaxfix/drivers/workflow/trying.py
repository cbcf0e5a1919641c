"""Fixes that are tried together by reruns, and what is reported of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.workflow import generating
from jaxfix.drivers.workflow.driving import path_of
from jaxfix.drivers.workflow.planning import LEFT_OUT, Planned, Receipts, whatever_can_be_written
from jaxfix.drivers.workflow.remaining import Remaining
from jaxfix.drivers.workflow.reuse import Reuse
from jaxfix.drivers.workflow.spending import MovedLines, seen_of
from jaxfix.drivers.workflow.traces import from_here
from jaxfix.drivers.workflow.watching import Advance
from jaxfix.engine.plan import plan
from jaxfix.evidence.changed import line_of
from jaxfix.evidence.prove import Proof, prove
from jaxfix.report.evidence import Comparison, Evidence, Verdict
from jaxfix.report.finding import Fix, Proves
from jaxfix.report.measurement import Measurement
from jaxfix.report.reason import Reason
from jaxfix.report.report import Patch, Seen
from jaxfix.report.trace.gains import Went, went
from jaxfix.source.frozen import frozen

Lines = Mapping[tuple[str, str], int]
"""Where each finding is, by path and key."""


_LAST = 5
"""Lines of a program that failed."""

Shown = MutableMapping[tuple[str, str], Evidence]
"""The receipts by path and key as reruns show them: what exists already, should something end the proof."""


@frozen
class Proofs:
    """What reruns have shown.

    Attributes:
      receipts: by path and key.
      together: what the proven fixes do together.
      errors: sentences about what could not be driven.
      seen: what the first run of a program has shown of findings, by path and key.
      went: where that program spent its time, before and now; None without a program.
      read: the files that it has read.
      last_words: its last lines, where it failed without any fix.
    """

    receipts: Receipts
    together: tuple[Comparison, ...] = ()
    errors: tuple[str, ...] = ()
    seen: Mapping[tuple[str, str], Seen] = field(default_factory=dict)
    went: Went | None = None
    read: tuple[str, ...] = ()
    last_words: tuple[str, ...] = ()

    def with_more(self, other: "Proofs") -> "Proofs":
        return Proofs(
            {**self.receipts, **other.receipts},
            (*self.together, *other.together),
            (*self.errors, *other.errors),
            {**self.seen, **other.seen},
            self.went or other.went,
            (*self.read, *other.read),
            self.last_words or other.last_words,
        )


@dataclass(slots=True)
class Trial:
    """Fixes that are tried together; `base` is the folder that the runner's paths start from.

    Attributes:
      renames: as of `Rerun`.
      granted: changes of results that are proven, by runner's path and key: they are in every run.
    """

    planned: Sequence[Planned]
    base: Path
    lines: Lines
    renames: bool
    granted: frozenset[tuple[str, str]] = frozenset()
    _plans: dict[tuple[str, frozenset[str], bool], Patch] = field(default_factory=dict)

    def grant(self, proven: frozenset[tuple[str, str]]) -> None:
        """Makes these changes in every run; without the others, the same lines may need other fixes."""
        refused = {path for path, fix, _ in self.changes() if (path, fix.key) not in proven}
        self.granted = proven
        self.planned = [self._granted(entry) if self._name(entry) in refused else entry for entry in self.planned]

    def functions(self) -> list[tuple[str, str]]:
        return sorted({(name, fix.function) for name, fix, _ in self.candidates()})

    def candidates(self) -> list[tuple[str, Fix, int]]:
        return [each for each in self._applied() if is_judged(each[1], renames=self.renames)]

    def changes(self) -> list[tuple[str, Fix, int]]:
        """The fixes that change results, as was asked."""
        return [each for each in self._applied() if each[1].is_change]

    def _applied(self) -> Iterator[tuple[str, Fix, int]]:
        for entry in self.planned:
            for fix in entry.patch.applied:
                yield self._name(entry), fix, self._line(entry, fix)

    def _line(self, entry: Planned, fix: Fix) -> int:
        """Of a finding that other fixes bring about, the line of its function."""
        line = self.lines.get((entry.patch.path, fix.key))
        return line_of(entry.target.source.text, fix.function) if line is None else line

    def proving(self, proves: Proves) -> tuple[str, ...]:
        """The functions whose fixes claim this, as a run names them."""
        return tuple(f"{name}:{fix.function}" for name, fix, _ in self.candidates() if fix.proves is proves)

    def patched(self, fixes: frozenset[tuple[str, str]], *, as_reference: bool = False) -> dict[str, bytes]:
        """The sources, by the runner's path, with these fixes and those that nothing is rerun for.

        Left out are sources that stay unchanged; among them are the helper files that the fixes need.
        """
        sources: dict[str, bytes] = {}
        for entry in self.planned:
            keys = frozenset(key for name, key in fixes | self.granted if name == self._name(entry))
            keys |= {fix.key for fix in entry.patch.applied if _is_in_both(fix, renames=self.renames)}
            if keys:
                patch = self._patched(entry, keys, as_reference=as_reference)
                sources[self._name(entry)] = patch.after
                beside = generating.sources(entry.target, patch.applied)
                sources |= {self._relative(files.resolved(path)): text for path, text in beside.items()}
        return sources

    def proven_by(self, reuse: Reuse, telling: "Telling", shown: Shown) -> Proofs:
        runner = reuse.runner

        def judged(receipt: Evidence) -> None:
            for name in self.show(receipt, telling, shown):
                reuse.judged(name)

        seen: dict[tuple[str, str], Seen] = {}

        def worth(baseline: Measurement) -> dict[tuple[str, str], float]:
            seen.update(seen_of([entry.target for entry in self.planned], from_here(baseline), runner.command))
            names = {entry.patch.path: self._name(entry) for entry in self.planned}
            return {(names[path], key): entry.seconds for (path, key), entry in seen.items()}

        found = prove(self.candidates(), self.patched, runner, telling.run, judged, worth)
        receipts = self.named(found.receipts)
        shown.update(receipts)
        read = tuple(found.before.reads or ()) if found.before is not None else ()
        last = _last_words(found.before)
        return Proofs(receipts, found.together, seen=seen, went=self._went(found), read=read, last_words=last)

    def show(self, receipt: Evidence, telling: "Telling", shown: Shown) -> list[tuple[str, str]]:
        """Reports a receipt, and returns the fix that it judges.

        Not reported is that a fix of code which only other fixes write gains nothing: nobody has that code.
        """
        named = self.named((receipt,))
        shown.update(named)
        for name, evidence in named.items():
            telling.judged(evidence, is_idle=name not in self.lines and evidence.verdict is Verdict.NO_EFFECT)
        return list(named)

    def _went(self, found: Proof) -> Went | None:
        """Where a program spent its time, and what is left of that in the fixed lines."""
        if found.before is None:
            return None
        patched = self.patched(found.kept) if found.after is not None else {}
        texts = {entry.patch.path: patched.get(self._name(entry)) for entry in self.planned}
        sources = {entry.patch.path: entry.target.source for entry in self.planned}
        lines = MovedLines({path: (sources[path], text) for path, text in texts.items() if text is not None})
        after = None if found.after is None else from_here(found.after)
        return went(from_here(found.before), after, lines.now)

    def named(self, receipts: Iterable[Evidence]) -> dict[tuple[str, str], Evidence]:
        """The receipts by path and key, with paths as they are shown."""
        paths = {self._name(entry): entry.patch.path for entry in self.planned}
        return {(paths[e.path], e.key): replace(e, path=paths[e.path]) for e in receipts}

    def _patched(self, entry: Planned, keys: frozenset[str], *, as_reference: bool = False) -> Patch:
        cached = (entry.patch.path, keys, as_reference)
        if cached not in self._plans:
            target = entry.target
            around = replace(target.surroundings, as_reference=as_reference)

            def accept(fix: Fix) -> Reason | None:
                return None if fix.key in keys else LEFT_OUT

            self._plans[cached] = plan(target.source, target.codemods, accept, around)
        return self._plans[cached]

    def _granted(self, entry: Planned) -> Planned:
        """The plan of the target with none of the changes that were asked for and are not proven."""
        target, takes = entry.target, whatever_can_be_written(entry.target)

        def accept(fix: Fix) -> Reason | None:
            refused = fix.is_change and (self._name(entry), fix.key) not in self.granted
            return LEFT_OUT if refused else takes(fix)

        return replace(entry, patch=plan(target.source, target.codemods, accept, target.surroundings))

    def _name(self, entry: Planned) -> str:
        return self._relative(files.resolved(path_of(entry.target)))

    def _relative(self, path: Path) -> str:
        """The path as the runner knows it: from `base`, or absolute; never from here, where it may be another file."""
        return path.relative_to(self.base).as_posix() if path.is_relative_to(self.base) else str(path)


def _last_words(before: Measurement | None) -> tuple[str, ...]:
    """The last lines of the output of a failed program."""
    if before is None or before.failure is None:
        return ()
    said = before.stderr if before.stderr.strip() else before.stdout
    return tuple(line for line in said.splitlines() if line.strip())[-_LAST:]


@dataclass(slots=True)
class Telling:
    """Reports the current run, the progress, the least time left, and results."""

    advance: Advance
    tell: Callable[[Evidence], None]
    remaining: Remaining
    _run: str = ""

    def run(self, words: str) -> None:
        self._run = words
        self.remaining.begins(words)
        self._say(words)

    def progress(self, words: str) -> None:
        self.remaining.hears(words)
        self._say(f"{self._run}: {words}" if self._run else words)

    def judged(self, receipt: Evidence, *, is_idle: bool = False) -> None:
        self.remaining.judged()
        if not is_idle:
            self.tell(receipt)

    def _say(self, words: str) -> None:
        self.advance(", ".join(filter(None, (words, self.remaining.words()))), share=self.remaining.share())


def is_judged(fix: Fix, *, renames: bool) -> bool:
    return fix.equality is not None and not fix.is_change and not (renames and fix.renames)


def _is_in_both(fix: Fix, *, renames: bool) -> bool:
    """Whether nothing is rerun for it, so that it is in both of two runs."""
    return not is_judged(fix, renames=renames) and not fix.is_change
