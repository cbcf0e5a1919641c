"""Gets the evidence for what would be fixed: by the program that was named, else by driving optimizers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from jaxfix.drivers import files
from jaxfix.drivers.workflow import generating
from jaxfix.drivers.workflow.agenda import folder_in, root_of
from jaxfix.drivers.workflow.driving import can_be_driven, location, path_of
from jaxfix.drivers.workflow.granting import Granting, is_change
from jaxfix.drivers.workflow.planning import LEFT_OUT, Planned, Receipts
from jaxfix.drivers.workflow.remaining import Remaining
from jaxfix.drivers.workflow.reuse import Reuse, reuse
from jaxfix.drivers.workflow.spending import MovedLines, seen_of
from jaxfix.drivers.workflow.traces import from_here
from jaxfix.drivers.workflow.watching import Advance, Watcher
from jaxfix.engine.plan import plan
from jaxfix.evidence.optimizers import LOOPED, OptimizerRunner
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.progress import Progress
from jaxfix.evidence.prove import Proof, prove
from jaxfix.evidence.reusing import Repeatable
from jaxfix.evidence.running import Driving, Running, Watching
from jaxfix.evidence.target import BARE, Local, Target, command_words, runnable
from jaxfix.render.paint import printable
from jaxfix.report.evidence import Comparison, Evidence, Verdict
from jaxfix.report.finding import Equality, Fix, Proves
from jaxfix.report.measurement import Measurement
from jaxfix.report.reason import Reason
from jaxfix.report.report import Patch, Seen
from jaxfix.report.trace.gains import Went, went
from jaxfix.source.errors import ConfigError, EvidenceError
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
class _Trial:
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

    def functions(self) -> list[tuple[str, str]]:
        return sorted({(name, fix.function) for name, fix, _ in self.candidates()})

    def candidates(self) -> list[tuple[str, Fix, int]]:
        return [each for each in self._applied() if _is_judged(each[1], renames=self.renames)]

    def changes(self) -> list[tuple[str, Fix, int]]:
        """The fixes that change results, as was asked."""
        return [each for each in self._applied() if is_change(each[1])]

    def _applied(self) -> Iterator[tuple[str, Fix, int]]:
        for entry in self.planned:
            for fix in entry.patch.applied:
                yield self._name(entry), fix, self.lines.get((entry.patch.path, fix.key), 1)

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
        """Reports a receipt, and returns the fix that it judges."""
        named = self.named((receipt,))
        shown.update(named)
        for evidence in named.values():
            telling.judged(evidence)
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
        self.remaining.begins()
        self._say(words)

    def progress(self, words: str) -> None:
        self.remaining.hears(words)
        self._say(f"{self._run}: {words}" if self._run else words)

    def judged(self, receipt: Evidence) -> None:
        self.remaining.judged()
        self.tell(receipt)

    def _say(self, words: str) -> None:
        self.advance(", ".join(filter(None, (words, self.remaining.words()))), share=self.remaining.share())


@frozen
class Rerun:
    """How to rerun.

    Attributes:
      command: the program; None where there is none.
      python: drives optimizers, and is what a bare `python` of the command means; None leaves both to their defaults.
      timeout_s: of each run.
      steps: calls of the rewritten functions after which a run of the program is ended; None runs it to its end.
      compared: `module:function` whose results are compared too.
      target: where.
      is_fresh: whether runs that were made before do not count.
      renames: whether other names of the same thing are in both runs, and judged by none.
    """

    command: str | None
    python: str | None
    timeout_s: float
    steps: int | None = None
    compared: tuple[str, ...] = ()
    target: Target = field(default_factory=Local)
    is_fresh: bool = False
    renames: bool = False

    def reuse(self, runner: Repeatable, root: Path) -> Reuse:
        """The runner, reusing what was run before of the project."""
        return reuse(runner, root, self.target, is_fresh=self.is_fresh)

    @property
    def chosen(self) -> str | None:
        """What a bare `python` of the command means, where the user says; another machine looks for its own."""
        return self.python if self.target.is_here else None

    def running(
        self, root: Path, told: Progress, originals: Mapping[str, bytes | None] = MappingProxyType({})
    ) -> Running:
        """How the program runs in a copy of `root`."""
        return Running(folder_in(root), self.timeout_s, self.target, told, self.chosen, originals)

    def watching(self) -> Watching:
        """What the user asks to look at in a run.

        Raises:
          ConfigError: a name in `compared` is none of a function.
        """
        return Watching(tuple(map(named_function, self.compared)), self.steps)

    @property
    def there(self) -> str:
        """The place, to follow the sentence that announces a run; nothing for this machine."""
        return "" if isinstance(self.target, Local) else f" on {self.target.name}"


@frozen
class _Proving:
    """How fixes are proven: the reruns, and who is shown what of them."""

    rerun: Rerun
    lines: Lines
    watcher: Watcher
    shown: Shown


def prove_all(planned: Sequence[Planned], rerun: Rerun, lines: Lines, watcher: Watcher, shown: Shown) -> Proofs:
    """Reruns with and without the fixes; says what it runs before it does.

    Args:
      shown: filled with what is returned, or as much of it as there is when something ends the reruns.

    Raises:
      EvidenceError: `command` cannot be run.
    """
    command, how = rerun.command, _Proving(rerun, lines, watcher, shown)
    proofs = Proofs({}) if command is None else _by_program(planned, command, how)
    for place, entries in _packages(planned, proofs.receipts, rerun).items():
        try:
            proofs = proofs.with_more(_by_driving(place, entries, how))
        except EvidenceError as error:
            proofs = proofs.with_more(Proofs(dict(shown), errors=(str(error),)))
    if command is not None:
        return proofs
    # That nothing drives it is no news about the fix: a program is what it needs.
    reached = {key: entry for key, entry in proofs.receipts.items() if entry.verdict is not Verdict.NOT_REACHED}
    return replace(proofs, receipts=reached)


def _by_program(planned: Sequence[Planned], command: str, how: _Proving) -> Proofs:
    rerun, watcher = how.rerun, how.watcher
    own = [path_of(entry.target) for entry in planned if entry.target.module is None]
    root = root_of(own)
    cwd = folder_in(root)
    trial = _Trial(planned, root, how.lines, rerun.renames)
    within = f", from `{cwd.relative_to(root).as_posix()}`" if cwd != root else ""
    by = f", with `{printable(rerun.chosen)}`" if rerun.chosen is not None else ""
    watching = rerun.watching()
    watcher.note(
        f"rerunning `{printable(command)}` with and without the fixes, in copies of `{root}`{within}{by}{rerun.there}; "
        f"each run may take {_duration(rerun.timeout_s)} (`--timeout`)"
    )
    with watcher.progress("proving", None) as advance:
        telling = Telling(advance, watcher.judged, Remaining(len([*trial.changes(), *trial.candidates()])))
        running = rerun.running(root, telling.progress)
        granting = Granting(
            lambda names, checks: ProgramRunner(root, command, names, running, replace(watching, checks_keys=checks)),
            rerun.reuse,
            telling.run,
            lambda receipt: trial.show(receipt, telling, how.shown),
        )
        asked, trial.granted, notes = granting.granted(trial.changes(), trial.patched, root)
        passing = trial.proving(Proves.LESS_DATA)
        paced = bool(passing or trial.proving(Proves.SMALLER_PROGRAM))
        granted = replace(running, originals=trial.patched(frozenset()) if trial.granted else {})
        timed = replace(watching, paced=paced, passing=passing)
        runner = ProgramRunner(root, command, trial.functions(), granted, timed)
        reuse = rerun.reuse(runner, root)
        proofs = trial.proven_by(reuse, telling, how.shown)
    proofs = replace(proofs, receipts={**trial.named(asked), **proofs.receipts})
    for words in (*notes, *reuse.notes(proofs.receipts)):
        watcher.note(words)
    for words in _answers(command, root, rerun.chosen, proofs.receipts.values()):
        watcher.note(words)
    return proofs


def _answers(command: str, root: Path, chosen: str | None, receipts: Iterable[Evidence]) -> Iterator[str]:
    """Which interpreters ran a command that does not itself say which."""
    first = runnable(command_words(command)[1], root)[0]
    if first in BARE:
        return
    found = {entry.environment.interpreter for entry in receipts if entry.environment is not None}
    instead = f", not by `{printable(chosen)}` (`--python`)" if chosen is not None else ""
    for name in sorted({name for name in found if name is not None} - {chosen if chosen is not None else first}):
        yield f"`{printable(command)}` was run by `{printable(name)}`{instead}"


def named_function(name: str) -> tuple[str, str]:
    """The module and the qualified name of `module:function`.

    Raises:
      ConfigError: it does not look like that.
    """
    module, _, qualname = name.partition(":")
    if not (module and qualname) or not all(part.isidentifier() for part in (*module.split("."), *_plain(qualname))):
        raise ConfigError(f"`--observe {name}` names no function", hint="write `module:function`, such as `train:loss`")
    return module, qualname


def _plain(qualname: str) -> list[str]:
    return [part for part in qualname.split(".") if part != "<locals>"]


def _by_driving(place: Path, planned: Sequence[Planned], how: _Proving) -> Proofs:
    rerun, watcher = how.rerun, how.watcher
    trial = _Trial(planned, place if place.is_dir() else place.parent, how.lines, rerun.renames)
    python = rerun.python or rerun.target.interpreter
    watcher.note(
        f"driving the optimizers of `{place.stem}` with and without the fixes, in copies of `{place}`, "
        f"with `{python}`{rerun.there}; each case may take {_duration(rerun.timeout_s)} (`--timeout`)"
    )
    promised = {fix.equality for _, fix, _ in trial.candidates()}
    loops = LOOPED if promised & {Equality.STRONGER_TYPES, Equality.CONVERGED} else ()
    cures = any(fix.proves.cures for _, fix, _ in trial.candidates())
    loops = (*loops, "float16") if cures else loops
    with watcher.progress("proving", None) as advance:
        telling = Telling(advance, watcher.judged, Remaining(len(trial.candidates())))
        driving = Driving(case_limit_s=rerun.timeout_s, loops=loops, target=rerun.target, told=telling.progress)
        runner = OptimizerRunner(place.stem, place, python, trial.functions(), driving)
        reuse = rerun.reuse(runner, trial.base)
        proofs = trial.proven_by(reuse, telling, how.shown)
    for words in reuse.notes(proofs.receipts):
        watcher.note(words)
    return proofs


def _duration(seconds: float) -> str:
    return f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds:g} s"


def _packages(planned: Sequence[Planned], receipts: Receipts, rerun: Rerun) -> dict[Path, list[Planned]]:
    """What there is to drive: installed packages, and without a program the user's own modules with optimizers."""
    found: dict[Path, list[Planned]] = {}
    for entry in planned:
        if not can_be_driven(entry.target) or (entry.target.module is None and rerun.command is not None):
            continue
        asked = [fix for fix in entry.patch.applied if _is_judged(fix, renames=rerun.renames)]
        if any(_is_open(receipts.get((entry.patch.path, fix.key))) for fix in asked):
            found.setdefault(location(entry.target), []).append(entry)
    return found


def _is_judged(fix: Fix, *, renames: bool) -> bool:
    return fix.equality is not None and not is_change(fix) and not (renames and fix.renames)


def _is_in_both(fix: Fix, *, renames: bool) -> bool:
    """Whether nothing is rerun for it, so that it is in both of two runs."""
    return not _is_judged(fix, renames=renames) and not is_change(fix)


def _is_open(evidence: Evidence | None) -> bool:
    return evidence is None or evidence.verdict is Verdict.NOT_REACHED
