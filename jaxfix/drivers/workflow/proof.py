"""Gets the evidence for what would be fixed: by the program that was named, else by driving optimizers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType

from jaxfix.drivers.workflow.agenda import folder_in, root_of
from jaxfix.drivers.workflow.driving import can_be_driven, location, path_of
from jaxfix.drivers.workflow.granting import Granting
from jaxfix.drivers.workflow.planning import Planned, Receipts
from jaxfix.drivers.workflow.remaining import Remaining
from jaxfix.drivers.workflow.reuse import Reuse, reuse
from jaxfix.drivers.workflow.trying import Lines, Proofs, Shown, Telling, Trial, is_judged
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.evidence.optimizers import LOOPED, OptimizerRunner
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.progress import Progress
from jaxfix.evidence.reusing import Repeatable
from jaxfix.evidence.running import Driving, Running, Watching
from jaxfix.evidence.target import BARE, Local, Target, command_words, runnable
from jaxfix.render.paint import printable
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Equality, Proves
from jaxfix.source.errors import ConfigError, EvidenceError
from jaxfix.source.frozen import frozen


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
      renames: whether renames are in both runs, and judged by none.
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
    trial = Trial(planned, root, how.lines, rerun.renames)
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
        asked, proven, notes = granting.granted(trial.changes(), trial.patched, root)
        named = trial.named(asked)
        trial.grant(proven)
        passing = trial.proving(Proves.LESS_DATA)
        paced = bool(passing or trial.proving(Proves.SMALLER_PROGRAM))
        granted = replace(running, originals=trial.patched(frozenset()) if trial.granted else {})
        timed = replace(watching, paced=paced, passing=passing)
        runner = ProgramRunner(root, command, trial.functions(), granted, timed)
        reuse = rerun.reuse(runner, root)
        proofs = trial.proven_by(reuse, telling, how.shown)
    proofs = replace(proofs, receipts={**named, **proofs.receipts})
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
    trial = Trial(planned, place if place.is_dir() else place.parent, how.lines, rerun.renames)
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
        asked = [fix for fix in entry.patch.applied if is_judged(fix, renames=rerun.renames)]
        if any(_is_open(receipts.get((entry.patch.path, fix.key))) for fix in asked):
            found.setdefault(location(entry.target), []).append(entry)
    return found


def _is_open(evidence: Evidence | None) -> bool:
    return evidence is None or evidence.verdict is Verdict.NOT_REACHED
