"""Proves a change that others have made, as fixes are proven: by two runs that differ by it alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.changes import Change
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.remaining import Remaining
from jaxfix.drivers.workflow.reuse import Reuse
from jaxfix.drivers.workflow.sealing import Ran, seal
from jaxfix.drivers.workflow.trying import Telling
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.evidence.changed import MODULE, Differences, differences, line_of
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.prove import prove
from jaxfix.evidence.reusing import Reusing
from jaxfix.evidence.runs import Fixes
from jaxfix.evidence.whole import whole
from jaxfix.render.paint import printable
from jaxfix.report.change import Apart, Proven, Uncompared
from jaxfix.report.evidence import Evidence, Level, Verdict
from jaxfix.report.finding import Equality, Fix, Proves, Safety
from jaxfix.report.measurement import Measurement
from jaxfix.report.seal import Seal
from jaxfix.source.edits import Edit, Span
from jaxfix.source.errors import EvidenceError
from jaxfix.source.frozen import frozen

CHANGE = "change"
"""The codemod id of such a receipt."""
_WORST = (
    *(Verdict.DIFFERENT, Verdict.FAILED, Verdict.SLOWER, Verdict.NO_EFFECT),
    *(Verdict.NOT_COMPARED, Verdict.NOT_REACHED, Verdict.PROVEN),
)
_LEVELS = tuple(Level)


@frozen
class _Sides:
    """Both sides of the change by the paths of a runner, and what differs in each Python file of both."""

    before: Mapping[str, bytes | None]
    after: Mapping[str, bytes | None]
    found: Mapping[str, Differences]
    uncompared: tuple[Uncompared, ...]

    @property
    def is_seen_by_functions(self) -> bool:
        """Whether what it does is seen in calls of changed functions: all that those up to rounding are judged by.

        A file or a method that comes or goes, or other data, can change what functions do that are as they were.
        """
        return all(
            entry.why is Apart.ADDED and entry.name is not None and "." not in entry.name for entry in self.uncompared
        )

    @property
    def functions(self) -> list[tuple[str, str]]:
        return [(path, name) for path, entry in self.found.items() for name in entry.changed]


class Repeated:
    """A runner whose runs serve every proof that asks for the same in the same order, each proof through `again`.

    Args:
      gone: files that the change removes.
    """

    def __init__(self, runner: Reusing, gone: Sequence[str]) -> None:
        self.repeats, self.calls_originals, self.command = runner.repeats, runner.calls_originals, runner.command
        self.sha256, self.original, self.room = runner.sha256, runner.original, runner.room
        self.expected = runner.expected
        self._runner, self._gone = runner, dict.fromkeys(gone)
        self._runs: dict[tuple[object, ...], list[tuple[Measurement, ...]]] = {}
        self._asked: dict[tuple[object, ...], int] = {}

    def again(self) -> "Repeated":
        """The same for the next proof, which hears of the first runs first."""
        self._asked = {}
        return self

    @property
    def read(self) -> tuple[str, ...]:
        """The files that the first run has read."""
        first = next((runs[0][0].reads for runs in self._runs.values()), None)
        return tuple(first or ())

    def measure(
        self,
        sources: Mapping[str, bytes],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        """As the runner does; a finished run is reported again where it is asked for."""
        key = frozenset(sources.items()), beside
        runs, turn = self._runs.setdefault(key, []), self._asked.get(key, 0)
        if turn == len(runs):
            whole = {**sources, **self._gone} if sources else {}
            runs.append(self._runner.measure(whole, cases, beside=beside, again=again))
        self._asked[key] = turn + 1
        return runs[turn]


def prove_change(change: Change, root: Path, rerun: Rerun, accepted: Level, watcher: Watcher) -> Proven:
    """Runs the program on both sides of the change, and judges each function that it has changed.

    Raises:
      EvidenceError: the program cannot be run, or fails without the change.
      SourceError: a changed source does not parse.
    """
    command = rerun.command or ""
    sides = _sides(change, root)
    if not sides.functions and not sides.uncompared:
        same = "only comments and layout differ: every source parses the same"
        found = Proven(Verdict.NO_EFFECT, same, None, accepted, command)
        return replace(found, seal=_seal(found, sides, root, Ran(command, None, ())))
    watcher.note(
        f"running `{printable(command)}` without and with {change.named}, in copies of `{root}`{rerun.there}; "
        "`--timeout` limits each run"
    )
    with watcher.progress("proving", None) as advance:
        remaining = Remaining(len(sides.functions))
        telling = Telling(advance, lambda receipt: watcher.judged(_shown(receipt, root)), remaining)
        reuse = rerun.reuse(_runner(sides, root, rerun, telling), root)
        if sides.functions:
            found, read = _by_functions(sides, root, reuse, telling, accepted)
        else:
            found, read = _by_the_run(sides, reuse, accepted)
    for words in reuse.notes(sides.functions):
        watcher.note(words)
    place = None if rerun.target.is_here else rerun.target.name
    return replace(found, seal=_seal(found, sides, root, Ran(command, place, read)))


def _by_functions(
    sides: _Sides, root: Path, reuse: Reuse, telling: Telling, accepted: Level
) -> tuple[Proven, tuple[str, ...]]:
    """What is said of each function that is changed, and the files that the program has read."""
    runner = Repeated(reuse.runner, [path for path, text in sides.after.items() if text is None])
    judge, judged = _Judge(sides, runner, telling, accepted), []
    for path, name in sides.functions:
        judged.append(judge.judged(path, name))
        reuse.judged((path, name))
    return _whole(judged, sides, root, accepted, runner.command), runner.read


def _by_the_run(sides: _Sides, reuse: Reuse, accepted: Level) -> tuple[Proven, tuple[str, ...]]:
    """What the run as a whole says of a change that changes no function, and the files that the program has read."""
    command = reuse.runner.command
    verdict, reason, before = whole(reuse.runner, sides.after)
    _refuse_failing(before, command)
    return Proven(verdict, reason, None, accepted, command, uncompared=sides.uncompared), tuple(before.reads or ())


def _seal(found: Proven, sides: _Sides, root: Path, ran: Ran) -> Seal:
    changed = {root / name: (text, sides.after[name]) for name, text in sides.before.items()}
    return seal("prove", root, changed, ran, found.evidence, holds=found.is_proven)


def _sides(change: Change, root: Path) -> _Sides:
    before = {_name(path, root): text for path, text in change.before.items()}
    after = {_name(path, root): text for path, text in change.after.items()}
    apart: list[Uncompared] = []
    found: dict[str, Differences] = {}
    for name, old in before.items():
        new, shown = after[name], files.shown(root / name)
        if not name.endswith(".py"):
            apart.append(Uncompared(shown, None, Apart.FILE))
        elif old is None or new is None:
            apart.append(Uncompared(shown, None, Apart.ADDED if old is None else Apart.REMOVED))
        else:
            found[name] = differences(shown, old, new)
            apart += _apart(shown, found[name])
    return _Sides(before, after, found, tuple(apart))


def _apart(path: str, found: Differences) -> Iterator[Uncompared]:
    yield from (Uncompared(path, name, Apart.ADDED) for name in found.added)
    yield from (Uncompared(path, name, Apart.REMOVED) for name in found.removed)
    yield from (Uncompared(path, old, Apart.RENAMED, new) for old, new in found.renamed)


def _name(path: Path, root: Path) -> str:
    """As a runner names it; absolute where that could also mean a file from here."""
    relative = path.relative_to(root).as_posix()
    return str(path) if not path.exists() and Path(relative).exists() else relative


def _runner(sides: _Sides, root: Path, rerun: Rerun, telling: Telling) -> ProgramRunner:
    running = rerun.running(root, telling.progress, sides.before)
    return ProgramRunner(
        root, rerun.command or "", sides.functions, running, replace(rerun.watching(), is_of_fixes=False)
    )


@frozen
class _Judge:
    """Judges the functions of a change, one after the other.

    Attributes:
      accepted: the loosest level at which results count as equal.
    """

    sides: _Sides
    runner: Repeated
    telling: Telling
    accepted: Level

    def judged(self, path: str, name: str) -> tuple[Evidence, Level | None]:
        """As `_found`, told as soon as it is known."""
        found, level = self._found(path, name)
        reason = _unseen(self.sides.found[path], name)
        if reason is not None and found.verdict is Verdict.PROVEN:
            found, level = replace(found, verdict=Verdict.NOT_COMPARED, reason=reason), None
        self.telling.judged(found)
        return found, level

    def _found(self, path: str, name: str) -> tuple[Evidence, Level | None]:
        """The receipt of one function, and the strictest level that was reached, accepted or not."""
        found = self._proof(path, name, Equality.BITWISE)
        if found.verdict is Verdict.DIFFERENT and self.sides.is_seen_by_functions:
            looser = self._proof(path, name, Equality.ROUNDING)
            if looser.verdict is Verdict.PROVEN and self.accepted is Level.ROUNDING:
                return looser, _level(looser)
            if looser.verdict is Verdict.PROVEN:
                reason = f"{found.reason}; equal up to rounding, which `--rounding` accepts"
                return replace(found, reason=reason), _level(looser)
        return found, _level(found)

    def _proof(self, path: str, name: str, equality: Equality) -> Evidence:
        """The receipt of one function of the change, which is made as a whole or not at all."""
        text = self.sides.before[path] or b""
        after = {file: content for file, content in self.sides.after.items() if content is not None}
        edit = Edit(Span(0, len(text)), after[path].decode(errors="replace"))
        fix = Fix(
            key=f"{CHANGE}:{name}",
            codemod=CHANGE,
            title="The change",
            at=edit.span,
            edits=(edit,),
            safety=Safety.NEEDS_EVIDENCE,
            equality=equality,
            lowered_because=None,
            function=name,
            proves=Proves.SAME_RESULTS,
        )

        def patched(fixes: Fixes) -> Mapping[str, bytes]:
            return after if fixes else {}

        found = prove([(path, fix, line_of(text, name))], patched, self.runner.again(), self.telling.run)
        _refuse_failing(found.before, self.runner.command)
        return found.receipts[0]


def _unseen(found: Differences, name: str) -> str | None:
    """Why what a run shows does not tell whether a changed function, or `<module>`, does the same elsewhere."""
    if found.is_per_thread:
        return "it changes thread-local state: no other threads are tried"
    if name == MODULE and found.classes:
        return f"class `{found.classes[0]}` changes outside its methods: how callers use it was not observed"
    return None


def _level(evidence: Evidence) -> Level | None:
    return next((entry.level for entry in evidence.comparisons), None)


def _refuse_failing(before: Measurement | None, command: str) -> None:
    if before is not None and before.failure is not None:
        raise EvidenceError(f"`{printable(command)}` fails without the change: {before.failure}")


def _whole(
    judged: Sequence[tuple[Evidence, Level | None]], sides: _Sides, root: Path, accepted: Level, command: str
) -> Proven:
    """What all functions together say of the change: what speaks against one of them speaks against it."""
    worst = min((entry for entry, _ in judged), key=lambda entry: _WORST.index(entry.verdict))
    levels = [level for _, level in judged]
    known = [level for level in levels if level is not None]
    shown = tuple(_shown(entry, root) for entry, _ in judged)
    figures = next((comparison for entry, _ in judged for comparison in entry.comparisons), None)
    return Proven(
        worst.verdict,
        f"`{worst.key.removeprefix(f'{CHANGE}:')}`: {worst.reason}",
        max(known, key=_LEVELS.index) if len(known) == len(levels) else None,
        accepted,
        command,
        shown,
        sides.uncompared,
        figures.before if figures is not None else None,
        figures.after if figures is not None else None,
    )


def _shown(receipt: Evidence, root: Path) -> Evidence:
    """The receipt with the path as it is read from here."""
    return replace(receipt, path=files.shown(root / receipt.path))
