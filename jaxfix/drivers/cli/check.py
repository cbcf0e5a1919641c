"""`jaxfix check`: says what is found, and runs nothing."""

import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

from jaxfix.drivers.cli import baselines, cache, outcome, output, terminal
from jaxfix.drivers.cli.options.check import Check
from jaxfix.drivers.distributed import is_distributed
from jaxfix.drivers.retired import without_retired
from jaxfix.drivers.workflow.looking import Findings, Looked, from_here, look
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.targets import Target, Targets, find_targets
from jaxfix.render import text
from jaxfix.render.account import Account
from jaxfix.render.formats import COUNTING, CURING, FORMATS
from jaxfix.report.finding import Confidence
from jaxfix.report.report import Diagnostic, Report
from jaxfix.source.errors import ConfigError
from jaxfix.source.frozen import frozen

_FEW_FILES = 200
"""Of more `check` does not search which program runs them."""
_MANY_OLD = 10
"""Findings about other versions from which on `check` names the command that sums them up."""


@frozen
class _Told:
    """What a check reports: the findings that no baseline knows, how many `--all` would add, and whether one counts.

    `retired` are those that a rerun has shown to gain nothing.
    """

    shown: tuple[Diagnostic, ...]
    not_shown: int
    counts: bool
    judgements: tuple[baselines.Compared, ...]
    updates: tuple[str, ...]
    retired: int = 0

    @property
    def is_clean(self) -> bool:
        return not self.counts and (bool(self.updates) or not any(entry.stale for entry in self.judgements))


def check(options: Check) -> int:
    """Writes the findings to stdout or a file, and the summary to stderr; returns the exit code."""
    baselines.check(options)
    _check_output(options)
    request = options.request
    looked_at = find_targets(request, keeps_texts=request.trace is not None)
    known = baselines.opened(options, looked_at.targets)
    read = (target.path for target in looked_at.targets if target.path is not None)
    output.refuse_taken(options.output_file, (*read, *(entry.place for entry in known)))
    looked = look(looked_at, terminal) if options.no_cache else _looked(looked_at)
    found = looked.findings
    number_read = len(looked_at.targets) - len(found.errors)
    found = replace(found, errors=(*looked_at.errors, *found.errors))
    told = _compared(found, looked_at.targets, request, options, known)
    if options.update_baseline and not told.updates:
        unwritten = (f"{entry.shown}: not written: not every file could be analysed" for entry in known)
        found = replace(found, errors=(*found.errors, *unwritten))
    account = _account(told, found, looked, options)
    output.give(options.output_file, FORMATS[options.output_format](account))
    is_listed = options.output_format == "text" and not options.statistics
    proof = _proof(told, looked_at.targets, options.paths) if is_listed else None
    _summarise(told, found.errors, number_read, is_listed=is_listed, proof=proof or "jaxfix apply --run CMD")
    for note in looked_at.notes:
        terminal.note(note)
    outcome.tell_errors((*found.errors, *account.bugs))
    return outcome.exit_code(
        findings=not told.is_clean and not options.exit_zero, errors=found.errors, bugs=account.bugs
    )


def _check_output(options: Check) -> None:
    if options.statistics and options.output_format not in COUNTING:
        those = " and ".join(f"`{name}`" for name in COUNTING)
        raise ConfigError(
            f"`--statistics` counts findings, and `{options.output_format}` lists them", hint=f"{those} can count"
        )
    output.refuse_unwritable(options.output_file)


def _account(told: _Told, found: Findings, looked: Looked, options: Check) -> Account:
    """What the format is made of: no more than it needs."""
    updated = bool(told.updates)
    account = Account(
        Report(told.shown, found.errors),
        bugs=found.bugs,
        stale=() if updated else tuple(e for each in told.judgements for e in baselines.stale_entries(each)),
        not_shown=told.not_shown,
        baselines=tuple(baselines.as_json(entry, written=updated) for entry in told.judgements),
        is_statistics=options.statistics,
        paint=output.paint_for(options.output_file),
        width=terminal.width_of(sys.stdout) if options.output_file is None else None,
    )
    if options.output_format == "text":
        return account
    if options.output_format == "json":
        return replace(account, report=from_here(account.report))
    from jaxfix.drivers.workflow import accounting

    account = accounting.placed(account, looked.targets)
    return accounting.cured(account, looked.targets, terminal) if options.output_format in CURING else account


def _compared(
    found: Findings,
    targets: Sequence[Target],
    request: Request,
    options: Check,
    known: Sequence[baselines.Opened],
) -> _Told:
    sure = found.diagnostics if options.everything else _expected(found.diagnostics, targets)
    shown = sure if options.everything else without_retired(sure, targets)
    counting = shown if options.everything else _counting(shown, targets)
    kept = {id(entry) for entry in sure}
    others = tuple(entry for entry in found.diagnostics if id(entry) not in kept)
    is_complete = not (found.errors or found.bugs)
    judgements = baselines.judged(known, request, shown, others, is_complete=is_complete)
    not_shown = len(baselines.new(others, judgements))
    if options.update_baseline and is_complete:
        return _Told((), not_shown, False, judgements, tuple(baselines.update(entry) for entry in judgements))
    new = baselines.new(shown, judgements)
    counts = any(entry in counting for entry in new)
    return _Told(new, not_shown, counts, judgements, (), len(sure) - len(shown))


def _proof(told: _Told, targets: Sequence[Target], named: Sequence[str]) -> str | None:
    """The whole command that proves the fixes which need a rerun; None where no program is known for them."""
    waiting = {entry.path for entry in told.shown if entry.fixable and entry.safety.waits}
    lacking = [target for target in targets if target.source.path in waiting and target.path is not None]
    if not lacking:
        return None
    from jaxfix.drivers.workflow import driving, programs  # of no use to a check that finds nothing

    own = [target.path for target in lacking if target.path is not None and target.module is None]
    found = programs.commands(own) if own and len(targets) <= _FEW_FILES else {}
    whole = next(programs.proving(found, "apply"), None)
    if whole is None and any(map(driving.can_be_driven, lacking)):
        return shlex.join(["jaxfix", "apply", *named, "--prove"])
    return whole


def _summarise(told: _Told, errors: tuple[str, ...], number: int, *, is_listed: bool, proof: str) -> None:
    if (number or not errors) and not told.updates:
        paint, is_compared = terminal.paint_for(sys.stderr), bool(told.judgements)
        terminal.tell(
            text.check_summary(
                told.shown,
                number,
                paint,
                not_shown=told.not_shown,
                is_compared=is_compared,
                is_listed=is_listed,
                proof=proof,
            )
        )
    if told.retired:
        what = "1 finding whose fix gains" if told.retired == 1 else f"{told.retired} findings whose fixes gain"
        terminal.note(f"{what} nothing, as a rerun has shown: `jaxfix receipts`, `--all`")
    old = sum(entry.fate is not None for entry in told.shown)
    if old >= _MANY_OLD and is_listed:
        terminal.note(
            f"{old} of these are about newer versions of libraries: `jaxfix upgrade` sums them up in ten lines"
        )
    for note in told.updates or [note for entry in told.judgements for note in baselines.notes(entry)]:
        terminal.note(note)


def _expected(found: Sequence[Diagnostic], targets: Iterable[Target]) -> tuple[Diagnostic, ...]:
    """Those that are reported without `--all`: of code that others call the possible ones that cost, too."""
    unsure = {entry.path for entry in found if entry.confidence is Confidence.POSSIBLE}
    public = {target.source.path for target in targets if target.source.path in unsure and _is_public(target)}
    return tuple(
        entry
        for entry in found
        if entry.confidence is not Confidence.POSSIBLE or (entry.path in public and entry.cost is not None)
    )


def _is_public(target: Target) -> bool:
    return target.module is not None or (target.path is not None and is_distributed(target.path))


def _counting(shown: Iterable[Diagnostic], targets: Iterable[Target]) -> tuple[Diagnostic, ...]:
    """Those that make `check` fail: of the user's own code the certain ones alone."""
    installed = {target.source.path for target in targets if target.module is not None}
    return tuple(entry for entry in shown if entry.confidence is not Confidence.POSSIBLE or entry.path in installed)


def _looked(looked_at: Targets) -> Looked:
    """As `look`; what was analysed before, and is the same, is not analysed again."""
    with cache.memory_of(looked_at) as memory:
        return look(looked_at, terminal, memory)
