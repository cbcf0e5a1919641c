"""`jaxfix apply`: writes what is safe, and what a rerun proves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jaxfix.core.errors import ConfigError
from jaxfix.core.finding import Safety
from jaxfix.core.source import SourceFile
from jaxfix.drivers import files
from jaxfix.drivers.cli import consent, outcome, receipts, terminal
from jaxfix.drivers.cli.agenda import agenda
from jaxfix.drivers.cli.check import Findings, look, reread, settled
from jaxfix.drivers.cli.consent import Mode, Wish
from jaxfix.drivers.cli.generating import Needed, is_generated, needed
from jaxfix.drivers.cli.planning import Planned, Plans, Receipts, plans
from jaxfix.drivers.cli.proof import Proofs, Rerun, named_function, prove_all
from jaxfix.drivers.cli.targets import STDIN, Request, Target, Targets, targets
from jaxfix.drivers.cli.telling import Result, tell, tell_filtered
from jaxfix.drivers.cli.vendoring import only_package, vendor
from jaxfix.drivers.cli.writing import Leave, refuse_unsaved, write
from jaxfix.drivers.installed import Installed
from jaxfix.drivers.vendor import place_for
from jaxfix.evidence.elsewhere import target_for


@dataclass(frozen=True, slots=True)
class Options:
    """What `apply` was asked to do with what it finds; `to` is where an installed package is vendored.

    `timeout_s` is for each of the runs that prove, `steps` after how many steps a program is ended, and `compared` what
    is compared beside what was rewritten, as `module:function`; `on` and `launcher` say where they run.
    """

    wish: Wish
    leave: Leave
    diff: bool
    to: str | None
    output_format: str
    timeout_s: float
    steps: int | None = None
    compared: tuple[str, ...] = ()
    on: str | None = None
    launcher: str | None = None


def apply(request: Request, options: Options) -> int:
    """Finds, plans, reruns if that is agreed to, and writes; returns the exit code."""
    _check_options(request, options)
    place = target_for(options.on, options.launcher, request.python)
    looked_at = targets(request)
    looked_at = replace(looked_at, targets=settled(looked_at.targets))
    _check_helper(request, looked_at)
    vendored = only_package(looked_at.targets) if options.to is not None else None
    copy = place_for(vendored, Path(options.to)) if vendored and options.to is not None else None
    found = look(looked_at.targets)
    found = replace(found, errors=(*looked_at.errors, *found.errors))
    fixable = _fixable(looked_at.targets, found)
    shown = agenda(fixable, looked_at.run, request.python or place.interpreter)
    allowed = consent.consent(options.wish, shown, _waiting(found))
    proofs = Proofs({})
    if allowed.mode is Mode.RERUN and fixable:
        leave = Leave(dirty=True, no_vcs=True) if options.diff else options.leave
        rerun = Rerun(allowed.command, request.python, options.timeout_s, options.steps, options.compared, place)
        proofs = _proofs(fixable, found, rerun, leave)
        found = replace(found, errors=(*found.errors, *proofs.errors))
    planned = plans(fixable, allowed.mode, proofs.receipts)
    generated = needed(planned.changed)
    if STDIN in request.paths:
        return _filter(looked_at, planned, found)
    places = {} if options.diff else _write(planned, generated, vendored, proofs.receipts, options)
    if not options.diff:
        receipts.keep(planned.planned, proofs.receipts, places, allowed.command, request.python, place)
    result = Result(
        found,
        _second_look(found, planned, places),
        planned,
        proofs,
        places,
        options.diff,
        None if options.diff else copy,
        generated,
    )
    tell(result, options.output_format)
    for note in looked_at.notes:
        outcome.tell_note(note)
    left = found if options.diff else result.remaining
    return _exit_code(left, found, planned)


def _check_options(request: Request, options: Options) -> None:
    consent.check(options.wish)
    for name in options.compared:
        named_function(name)
    if options.diff and options.output_format == "json":
        raise ConfigError("`--diff` and `--output-format json` both want stdout")
    if STDIN not in request.paths:
        return
    if len(request.paths) > 1 or options.to or options.output_format == "json" or options.diff:
        raise ConfigError("`apply -` writes the fixed text to stdout, and takes no other path or output")
    if request.helper is not None:
        raise ConfigError("`apply -` writes no file, so `--helper` has nothing to place")
    if options.wish.prove or options.wish.run is not None:
        raise ConfigError("what comes from stdin cannot be rerun", hint="name the file")


def _check_helper(request: Request, looked_at: Targets) -> None:
    installed = next((target.module.package for target in looked_at.targets if target.module is not None), None)
    if request.helper is not None and installed is not None:
        raise ConfigError(
            f"`--helper` places a file of your own project, and `{installed}` is installed",
            hint="a package brings its helper file along: leave the option out",
        )


def _fixable(wanted: Sequence[Target], found: Findings) -> tuple[Target, ...]:
    paths = {diagnostic.path for diagnostic in found.diagnostics if diagnostic.fixable}
    return tuple(target for target in wanted if target.source.path in paths and not is_generated(target))


def _waiting(found: Findings) -> int:
    return sum(entry.fixable and entry.safety is Safety.NEEDS_EVIDENCE for entry in found.diagnostics)


def _proofs(fixable: Sequence[Target], found: Findings, rerun: Rerun, leave: Leave) -> Proofs:
    candidates = plans(fixable, Mode.EVERYTHING, {}).changed
    refuse_unsaved(_own(candidates), _own_generated(needed(candidates)), leave)
    lines = {(diagnostic.path, diagnostic.key): diagnostic.line for diagnostic in found.diagnostics}
    return prove_all(candidates, rerun, lines)


def _write(
    planned: Plans, generated: Sequence[Needed], vendored: Installed | None, receipts: Receipts, options: Options
) -> dict[str, Path]:
    """Writes what may be written; returns where each written source is now, by its path."""
    if vendored is not None and options.to is not None:
        return vendor(vendored, planned, generated, receipts, Path(options.to))
    own = _own(planned.changed)
    write(own, _own_generated(generated), options.leave)
    return {entry.patch.path: entry.target.path for entry in own if entry.target.path is not None}


def _own(planned: Sequence[Planned]) -> tuple[Planned, ...]:
    """Those of the user's own files; what pip installed is never written."""
    return tuple(entry for entry in planned if entry.target.module is None)


def _own_generated(generated: Sequence[Needed]) -> tuple[Needed, ...]:
    return tuple(entry for entry in generated if entry.module is None and entry.is_change)


def _second_look(found: Findings, planned: Plans, places: dict[str, Path]) -> Findings:
    """What is found now: in the bytes on the disk where something was written, else in the planned ones."""
    changed = {entry.patch.path: entry for entry in planned.changed}
    again = look([_reread(entry, places.get(path)) for path, entry in changed.items()])
    kept = tuple(diagnostic for diagnostic in found.diagnostics if diagnostic.path not in changed)
    order = {diagnostic.path: index for index, diagnostic in enumerate(found.diagnostics)}
    remaining = sorted((*kept, *again.diagnostics), key=lambda diagnostic: order[diagnostic.path])
    return Findings(tuple(remaining), again.errors, again.bugs)


def _reread(entry: Planned, place: Path | None) -> Target:
    # In a vendored copy the imports of the package may have another name, which no other file's facts know.
    is_own = place is not None and entry.target.module is None
    raw = files.read_bytes(place) if place is not None and is_own else entry.patch.after
    return reread(entry.target, SourceFile.decode(entry.patch.path, raw))


def _filter(looked_at: Targets, planned: Plans, found: Findings) -> int:
    """Writes the text of stdin, fixed, to stdout."""
    for target in looked_at.targets:
        entry = next((entry for entry in planned.planned if entry.target is target), None)
        terminal.give(entry.patch.after if entry else target.source.raw)
    result = Result(found, _second_look(found, planned, {}), planned, Proofs({}), {}, is_diff=False)
    tell_filtered(result)
    return _exit_code(result.remaining, found, planned)


def _exit_code(left: Findings, found: Findings, planned: Plans) -> int:
    return outcome.exit_code(
        findings=bool(left.diagnostics),
        errors=(*found.errors, *left.errors),
        bugs=(*found.bugs, *left.bugs, *planned.bugs),
    )
