"""The output of `apply`: the diff or the receipts on stdout, the summary on stderr."""

import shlex
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from jaxfix.drivers import files, journal, vendor
from jaxfix.drivers.cli import outcome, output, terminal
from jaxfix.drivers.cli.differences import Differences
from jaxfix.drivers.workflow.driving import can_be_driven
from jaxfix.drivers.workflow.generating import Needed
from jaxfix.drivers.workflow.looking import Findings, from_here, informed, reread
from jaxfix.drivers.workflow.planning import GUESS, NO_EVIDENCE, NO_PROGRAM, Plans
from jaxfix.drivers.workflow.targets import Target
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.render import diff, text
from jaxfix.render.account import Account, Known
from jaxfix.render.formats import CURING, FORMATS
from jaxfix.render.gains import gains
from jaxfix.render.paint import Paint, counted, plain, printable
from jaxfix.render.receipts import receipt
from jaxfix.render.together import together
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.reason import Reason
from jaxfix.report.report import Diagnostic, Generated, Held, Patch, Report
from jaxfix.report.seal import Seal
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile


@frozen
class Result:
    """What was found, what a second look found, and how one became the other.

    Attributes:
      places: where each written source is now, by its path; what changed and is not there exists in an overlay only.
      vendored: the folder that a package was copied to.
      generated: the helper files that the fixes need.
      targets: all that was analysed.
      has_diff: whether the diff is shown, and `has_stat` whether its lines are counted.
      seal: the sources that the proofs speak of.
      again: the command that proves what is held, without its paths and its program.
    """

    found: Findings
    remaining: Findings
    plans: Plans
    proofs: Proofs
    places: Mapping[str, Path]
    is_diff: bool
    vendored: Path | None = None
    generated: tuple[Needed, ...] = ()
    targets: tuple[Target, ...] = ()
    has_diff: bool = True
    has_stat: bool = False
    seal: Seal | None = None
    again: str = "apply"

    @property
    def differences(self) -> Differences:
        """The changes, with remarks."""
        places = {(entry.path, entry.key): entry.where for entry in self.found.diagnostics}
        return Differences(self.plans, self.generated, places, self.proofs.receipts)

    @property
    def fixed(self) -> int:
        """How many findings their own fixes have removed."""
        return len(self._removed & self._taken)

    @property
    def gone(self) -> int:
        """How many other findings are gone, as fixes have rewritten or removed their lines.

        One that is found there again, in new words, is not.
        """
        known = {(each.path, each.key): each for each in self.found.diagnostics}
        again = Counter(
            (each.path, each.id) for each in self.remaining.diagnostics if (each.path, each.key) not in known
        )
        gone = Counter((known[name].path, known[name].id) for name in self._removed - self._taken)
        return (gone - again).total()

    @property
    def _removed(self) -> set[tuple[str, str]]:
        """The findings that the second look does not find."""
        left = {(diagnostic.path, diagnostic.key) for diagnostic in self.remaining.diagnostics}
        return {(diagnostic.path, diagnostic.key) for diagnostic in self.found.diagnostics} - left

    @property
    def _taken(self) -> set[tuple[str, str]]:
        return {(entry.patch.path, fix.key) for entry in self.plans.planned for fix in entry.patch.applied}

    @property
    def made(self) -> int:
        """How many fixes were made; of a finding that is still there, some may be of its parts."""
        return sum(len(entry.patch.applied) for entry in self.plans.planned)

    @property
    def held(self) -> int:
        return sum(len(entry.patch.held) for entry in self.plans.planned)


def tell(result: Result, output_format: str, output_file: str | None = None) -> None:
    """Writes the result to stdout or the file, then names errors and bugs on stderr.

    A diff goes to stdout, and to the file only where that has no other format.

    Raises:
      UserError: the result cannot be written; what was done is reported anyway.
    """
    unwritten = None
    try:
        _give(result, output_format, output_file)
    except UserError as error:
        unwritten = error
    terminal.tell(_summary(result, terminal.paint_for(sys.stderr)))
    for note in _missing(result):
        terminal.note(note)
    _tell_wrongs(result)
    if unwritten is not None:
        raise unwritten


def _give(result: Result, output_format: str, output_file: str | None) -> None:
    is_text = output_format == "text"
    if not is_text:
        output.give(output_file, FORMATS[output_format](_account(result, output_format)))
    if result.is_diff and (is_text or output_file is not None):
        _tell_diff(result, output_file if is_text else None)
    elif is_text:
        output.give(output_file, "".join(_lines(result, sys.stdout, output_file)))


def tell_filtered(result: Result) -> None:
    """What there is to say of text that went through to stdout, on stderr."""
    terminal.tell("".join(_lines(result, sys.stderr)) + _summary(result, terminal.paint_for(sys.stderr)))
    _tell_wrongs(result)


def _tell_wrongs(result: Result) -> None:
    errors = (*result.found.errors, *result.remaining.errors)
    bugs = (*result.found.bugs, *result.plans.bugs, *result.remaining.bugs)
    outcome.tell_errors(dict.fromkeys((*errors, *bugs)))


def _account(result: Result, output_format: str) -> Account:
    errors = (*result.found.errors, *result.remaining.errors)
    report = Report(
        result.remaining.diagnostics,
        errors,
        _patches(result),
        _in_order(result),
        result.proofs.together,
        tuple(entry.generated for entry in result.generated),
        result.proofs.went,
        result.proofs.seen,
        result.seal,
    )
    account = Account(report, written=bool(result.places or result.vendored))
    if output_format == "json":
        return replace(account, report=from_here(report))
    from jaxfix.drivers.workflow import accounting

    targets, on_disk = _on_disk(result)
    bugs = (*result.found.bugs, *result.plans.bugs, *result.remaining.bugs)
    account = accounting.placed(replace(account, report=replace(report, findings=on_disk), bugs=bugs), targets)
    receipts = {(files.relative(path), key): Known(entry) for (path, key), entry in result.proofs.receipts.items()}
    account = replace(account, receipts=receipts)
    return accounting.cured(account, targets, terminal) if output_format in CURING else account


def _on_disk(result: Result) -> tuple[tuple[Target, ...], tuple[Diagnostic, ...]]:
    """The targets and findings as they are in the files now: of what was fixed in an overlay alone, as they were."""
    after = {entry.patch.path: entry.patch.after for entry in result.plans.changed if entry.target.module is None}
    after = {path: raw for path, raw in after.items() if path in result.places}
    targets = tuple(
        reread(target, SourceFile.decode(target.source.path, after[target.source.path]))
        if target.source.path in after
        else target
        for target in result.targets
    )
    found = {target.source.path: result.found for target in targets} | dict.fromkeys(after, result.remaining)
    left = tuple(entry for path, findings in found.items() for entry in findings.of(path))
    return informed(targets) if after else targets, left


def _tell_diff(result: Result, output_file: str | None) -> None:
    paint = output.paint_for(output_file)
    width = terminal.width_of(sys.stdout) if output_file is None else None
    differences = replace(result.differences, remembered=_remembered(result))
    told = differences.as_stat(paint, width).encode(errors="surrogateescape") if result.has_stat else b""
    if not result.has_stat or result.has_diff:
        raw = differences.as_diff()
        told += (b"\n" if told else b"") + (raw if paint is plain else diff.painted(raw, paint))
    output.give_bytes(output_file, told)
    if output_file is not None or not (result.has_diff and sys.stdout.isatty()):
        terminal.tell("".join(_lines(result, sys.stderr)))
    else:  # the diff has told all else
        terminal.tell("".join(_failed(result, terminal.paint_for(sys.stderr))))


def _remembered(result: Result) -> Mapping[tuple[str, str], Known]:
    """What former reruns have shown."""
    from jaxfix.drivers.workflow import accounting  # of no use to most runs

    return accounting.remembered(result.targets)


def _lines(result: Result, stream: TextIO, output_file: str | None = None) -> Iterator[str]:
    """A receipt for each fix that was tried and taken, then the reason of each other one."""
    paint = terminal.paint_for(stream) if output_file is None else plain
    width = terminal.width_of(stream) if output_file is None else None
    taken = {(entry.patch.path, fix.key): fix for entry in result.plans.planned for fix in entry.patch.applied}
    broken = _broken(result)
    yield from _failed(result, paint)
    for evidence in _in_order(result):
        if (evidence.path, evidence.key) in broken and (evidence.path, evidence.key) not in taken:
            continue
        if evidence.verdict is Verdict.PROVEN:
            yield receipt(evidence, paint, width)
        elif (fix := taken.get((evidence.path, evidence.key))) is not None:
            why = "it is safe for every input" if fix.is_safe else "you have decided so"
            yield receipt(evidence, paint, width, f"; accepted anyway, as {why}")
    reasons: dict[str, list[tuple[str, Held]]] = {}
    for path, held in _held(result):
        evidence_of = result.proofs.receipts.get((path, held.fix.key))
        if (path, held.fix.key) in broken:
            continue
        if evidence_of is not None and evidence_of.verdict is not Verdict.PROVEN:
            yield receipt(evidence_of, paint, width)
        else:
            reasons.setdefault(held.reason.text, []).append((path, held))
    for reason, group in reasons.items():
        yield from _held_lines(result, reason, group, paint)
    yield from (receipt(evidence, paint, width) for evidence in _left(result, taken))
    yield together(result.proofs.together, paint)


def _left(result: Result, taken: Collection[tuple[str, str]]) -> Iterator[Evidence]:
    """What was tried of the code that its author wrote, and refused, where other fixes have rewritten its place."""
    known = {(each.path, each.key) for each in result.found.diagnostics}
    ended = {*taken, *_broken(result), *((path, held.fix.key) for path, held in _held(result))}
    for evidence in _in_order(result):
        name = evidence.path, evidence.key
        if evidence.verdict is not Verdict.PROVEN and name in known and name not in ended:
            yield evidence


def _broken(result: Result) -> Mapping[tuple[str, str], Evidence]:
    """The fixes whose program fails without any."""
    receipts = result.proofs.receipts.items()
    return {name: entry for name, entry in receipts if entry.verdict is Verdict.FAILED and not entry.comparisons}


def _failed(result: Result, paint: Paint) -> Iterator[str]:
    """A program that fails without any fix: it is reported once, with its last lines."""
    broken = _broken(result)
    if not broken:
        return
    wait = f"{counted(len(broken), 'fix')} {'waits' if len(broken) == 1 else 'wait'} for it"
    first = next(iter(broken.values()))
    told = f"`{printable(first.command)}`  {printable(first.reason)}; {wait}"
    yield f"{paint('yellow', Verdict.FAILED.value)}  {told}\n"
    yield from (f"        {printable(line)}\n" for line in result.proofs.last_words)


def _held(result: Result) -> Iterator[tuple[str, Held]]:
    return ((entry.patch.path, held) for entry in result.plans.planned for held in entry.patch.held)


def _missing(result: Result) -> Iterator[str]:
    """The commands that would give the missing evidence, judged by who imports the files."""
    reasons: dict[str, set[Reason]] = {}
    for path, held in _held(result):
        if held.reason in (NO_EVIDENCE, NO_PROGRAM, GUESS):
            reasons.setdefault(path, set()).add(held.reason)
    entries = [entry.target for entry in result.plans.planned if entry.patch.path in reasons]
    paths = [target.path for target in entries if target.path is not None and target.module is None]
    if not paths:
        return
    from jaxfix.drivers.workflow import programs  # of no use to most runs

    found = programs.commands(paths)
    drivable = any(can_be_driven(target) and {NO_EVIDENCE} == reasons[target.source.path] for target in entries)
    if found or not drivable:
        yield from programs.words(found, paths, result.again)


def _held_lines(result: Result, reason: str, group: list[tuple[str, Held]], paint: Paint) -> Iterator[str]:
    """What is held for one reason, which is reported once."""
    places = {(entry.path, entry.key): entry.where for entry in result.remaining.diagnostics}
    alone = reason if len(group) == 1 else None
    for path, held in group:
        yield text.held(places.get((path, held.fix.key), path), held, alone, paint)
    if alone is None:
        yield text.held_together(len(group), reason, paint)


def _in_order(result: Result) -> tuple[Evidence, ...]:
    """The receipts, the most expensive first where a run measured them, else in the order of the text."""
    seen = result.proofs.seen

    def rank(entry: Evidence) -> tuple[float, str, int, int, str]:
        known = seen.get((entry.path, entry.key))
        return -known.seconds if known else 0.0, entry.path, entry.cell or 0, entry.line, entry.key

    return tuple(sorted(result.proofs.receipts.values(), key=rank))


def _patches(result: Result) -> tuple[Patch, ...]:
    return tuple(entry.patch for entry in result.plans.planned)


def _summary(result: Result, paint: Paint) -> str:
    if result.found.errors and not (result.found.diagnostics or result.vendored):
        return ""  # no praise for what could not be read
    told = gains(result.proofs.went, paint) + text.apply_summary(
        result.fixed, result.gone, result.made, result.held, result.remaining.diagnostics, _where(result), paint
    )
    if result.is_diff:
        start = result.differences.start
        there = f"the paths of this diff start at `{start}`: pipe it to `git -C {shlex.quote(str(start))} apply`"
        is_here = start == Path.cwd().resolve() or not result.has_diff
        return told if is_here else told + text.note(there, paint)
    for entry in result.generated if result.places else ():
        told += text.note(_generated(entry.generated), paint) if entry.module is None and entry.is_change else ""
    if result.vendored is not None:
        told += text.note(f"vendored into `{files.shown(result.vendored)}`, see `{vendor.NOTE}` there", paint)
    root = _undo_root(result)
    if root is None:
        return told
    return told + text.note(f"undo with `{root}jaxfix undo`", paint)


def _generated(entry: Generated) -> str:
    names = ", ".join(f"`{name}`" for name in entry.functions)
    return f"{'wrote' if entry.before is None else 'renewed'} `{entry.path}`, from which the fixed code imports {names}"


def _where(result: Result) -> str:
    if result.is_diff:
        return f" by {'this diff' if result.has_diff else 'these changes'}, nothing was written"
    installed = {entry.patch.path for entry in result.plans.changed if entry.target.module is not None}
    if installed <= set(result.places):
        return ""
    if result.places:
        return ", those of installed modules in an overlay: `--to DIR` vendors a fixed copy"
    return " in an overlay, nothing was written: `--to DIR` vendors a fixed copy"


def _undo_root(result: Result) -> str | None:
    """The command to type before `jaxfix undo`; None if there is nothing to undo."""
    written = [*result.places.values(), *([result.vendored] if result.vendored else [])]
    if not written:
        return None
    root = journal.root_for(written).resolve()
    here = Path.cwd().resolve()
    return "" if root in (here, *here.parents) else f"cd {shlex.quote(str(root))} && "
