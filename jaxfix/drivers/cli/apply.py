"""`jaxfix apply`: writes safe fixes, and fixes proven by a rerun."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from jaxfix.drivers.cli import cache, outcome, output, terminal
from jaxfix.drivers.cli.options.apply import Apply
from jaxfix.drivers.cli.prompt.consent import consent as agreed
from jaxfix.drivers.cli.prompt.loop import Reviewed
from jaxfix.drivers.cli.prompt.prover import Prover
from jaxfix.drivers.cli.prompt.review import review, settle
from jaxfix.drivers.cli.summary import Result, tell, tell_filtered
from jaxfix.drivers.cli.vendoring import only_package, vendor
from jaxfix.drivers.installed import Installed
from jaxfix.drivers.vendor import place_for
from jaxfix.drivers.workflow import consent, recording
from jaxfix.drivers.workflow.agenda import Agenda, agenda
from jaxfix.drivers.workflow.consent import Mode
from jaxfix.drivers.workflow.generating import Needed, needed
from jaxfix.drivers.workflow.idle import without_idle
from jaxfix.drivers.workflow.looking import Findings
from jaxfix.drivers.workflow.planning import NO_PROGRAM, NOT_TRIED, Plans, Receipts, by_mode, plans
from jaxfix.drivers.workflow.proof import Rerun, named_function
from jaxfix.drivers.workflow.request import Request
from jaxfix.drivers.workflow.salvaging import salvaging
from jaxfix.drivers.workflow.scouting import scouted
from jaxfix.drivers.workflow.session import (
    Session,
    opened,
    proven,
    refuse_read_only,
    refuse_unwritable,
    second_look,
    weighed,
    written,
)
from jaxfix.drivers.workflow.targets import STDIN, Targets, find_targets
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.evidence.remote import target_for
from jaxfix.evidence.target import Target
from jaxfix.report.seal import Seal
from jaxfix.source.errors import ConfigError
from jaxfix.source.frozen import frozen


@frozen
class _Decided:
    """The fixes to write, and the results of reruns.

    Attributes:
      command: the program that was rerun, if any was.
      errors: what could not be rerun.
      told: what the person has seen already.
      reviewed: what a person has decided, if one was asked and wants anything written.
    """

    plans: Plans
    proofs: Proofs
    command: str | None
    errors: tuple[str, ...]
    reviewed: Reviewed | None = None
    told: tuple[str, ...] = ()


def apply(options: Apply) -> int:
    """Finds, plans, reruns if that is agreed to, and writes; returns the exit code."""
    return applied(options, options.request)


def applied(options: Apply, request: Request) -> int:
    """As `apply`, of what `request` says is analysed, and for what."""
    _check_options(options)
    place = target_for(options.on, options.launcher, options.python)
    looked_at = find_targets(request)
    _check_targets(options, looked_at)
    vendored = only_package(looked_at.targets) if options.to is not None else None
    copy = place_for(vendored, Path(options.to)) if vendored and options.to is not None else None
    session = opened(looked_at, terminal) if options.no_cache else _opened(looked_at)
    session = _scouted(session, options, place)
    shown = agenda(session.fixable, looked_at.run, options.python or place.interpreter)

    rerun = partial(_rerun, options, place, renames=request.ends is not None)
    decided = _decided(session, shown, rerun, options)
    planned, proofs = decided.plans, decided.proofs
    found = weighed(replace(session.found, errors=(*session.found.errors, *decided.errors)), proofs.seen)
    generated = needed(planned.changed)
    if STDIN in options.paths:
        return _filter(session.looked_at, planned, found, options)
    places: dict[str, Path] = {}

    def sealed(places: Mapping[str, Path]) -> Seal | None:
        how = rerun(decided.command)
        return recording.sealed(planned.planned, proofs.receipts, places, how, proofs.read, generated)

    try:
        places = {} if options.is_dry else _write(planned, generated, vendored, proofs.receipts, options)
    finally:  # a rerun may have taken hours
        if not options.is_dry:
            recording.keep(planned.planned, proofs.receipts, places, rerun(decided.command), terminal, sealed(places))
    if decided.reviewed is not None:
        settle(session, decided.reviewed, places)
    remaining = second_look(found, planned, places, terminal)
    planned, remaining = without_idle(planned, remaining, found, proofs.receipts)
    result = Result(
        found,
        remaining,
        planned,
        proofs,
        places,
        options.is_dry,
        None if options.is_dry else copy,
        generated,
        session.looked_at.targets,
        options.diff,
        options.stat,
        sealed(places),
        "apply" if request.ends is None else request.ends.command,
    )
    tell(result, options.output_format, options.output_file)
    for note in looked_at.notes:
        terminal.note(note)
    return _exit_code(options, found if options.is_dry else result.remaining, found, planned, decided.told)


def _rerun(options: Apply, place: Target, command: str | None, *, renames: bool = False) -> Rerun:
    how = options.python, options.timeout_s, options.steps, options.observe, place, options.fresh
    return Rerun(command, *how, renames)


def _scouted(session: Session, options: Apply, place: Target) -> Session:
    """The session, completed by a run of the named program where only a run can find something.

    None that is to be ended after some calls: of what is not known yet.
    """
    if options.run is None or options.trace is not None or options.steps is not None:
        return session
    seen = scouted(session, _rerun(options, place, options.run), terminal)
    return session if seen is None else opened(seen, terminal)


def _opened(looked_at: Targets) -> Session:
    """As `opened`; where nothing is new since the last look and nothing is to be fixed, that look counts."""
    with cache.memory_of(looked_at) as memory:
        return opened(looked_at, terminal, memory)


def _decided(session: Session, shown: Agenda | None, rerun: Callable[[str | None], Rerun], options: Apply) -> _Decided:
    """The decisions by the options, with a rerun if allowed; or those of a person."""
    allowed = agreed(options.wish, shown, session.waiting, is_asked_later=options.interactive)
    proofs = Proofs({})
    how = rerun(allowed.command)
    if allowed.mode is Mode.RERUN and session.fixable:
        if not options.is_dry:
            refuse_read_only(session)
        salvage = (lambda planned, receipts: None) if options.is_dry else salvaging(how, terminal)
        proofs = proven(session, how, options.written_over, terminal, salvage)
    if not options.interactive:
        lacking = NO_PROGRAM if allowed.command is None else NOT_TRIED
        accepts = partial(by_mode, allowed.mode, proofs.receipts, renames=how.renames, lacking=lacking)
        taken = plans(session.fixable, accepts)
        return _Decided(taken, proofs, allowed.command, proofs.errors)
    refuse_unwritable(session, options.leave)
    prover = Prover(session, shown, allowed, rerun, options.no_prove)
    reviewed = review(session, prover, proofs, forgets=options.forget)
    told = (*proofs.errors, *prover.failures)
    if reviewed is None:
        return _Decided(Plans((), ()), Proofs({}), None, (), told=told)
    return _Decided(reviewed.plans, reviewed.proofs, prover.allowed.command, (), reviewed, told)


def _check_options(options: Apply) -> None:
    consent.check(options.wish)
    for name in options.observe:
        named_function(name)
    _check_interactive(options)
    is_text = options.output_format == "text"
    if options.is_dry and not is_text and options.output_file is None:
        shown = "--diff" if options.diff else "--stat"
        raise ConfigError(
            f"`{shown}` and `--output-format {options.output_format}` both want stdout",
            hint="give one a file: `--output-file FILE`",
        )
    output.refuse_unwritable(options.output_file)
    if STDIN not in options.paths:
        return
    if len(options.paths) > 1 or options.to or not is_text or options.output_file is not None or options.is_dry:
        raise ConfigError("`-` writes the fixed text to stdout, and takes no other path or output")
    if options.helper is not None:
        raise ConfigError("`-` writes no file, so `--helper` has nothing to place")
    if options.prove or options.run is not None:
        raise ConfigError("stdin cannot be rerun", hint="name the file")


def _check_interactive(options: Apply) -> None:
    if not options.interactive:
        if options.forget:
            raise ConfigError("`--forget` forgets the answers of `--interactive`", hint="give both")
        return
    others = (("--diff", options.diff), ("--stat", options.stat), ("--unproven", options.unproven))
    other = next((name for name, is_given in others if is_given), None)
    if other is not None:
        raise ConfigError(f"`--interactive` and `{other}` contradict each other")
    if STDIN in options.paths:
        raise ConfigError("`-` reads stdin, where `--interactive` wants the answers", hint="name the file")
    if not terminal.is_attended():
        raise ConfigError("`--interactive` asks a person, and there is no terminal", hint="`--diff` shows the fixes")


def _check_targets(options: Apply, looked_at: Targets) -> None:
    output.refuse_taken(options.output_file, (target.path for target in looked_at.targets if target.path is not None))
    installed = next((target.module.package for target in looked_at.targets if target.module is not None), None)
    if options.helper is not None and installed is not None:
        raise ConfigError(
            f"`--helper` places a file of your own project, and `{installed}` is installed",
            hint="a package ships its helper file: leave the option out",
        )


def _write(
    planned: Plans, generated: Sequence[Needed], vendored: Installed | None, receipts: Receipts, options: Apply
) -> dict[str, Path]:
    """Writes what may be written; returns where each written source is now, by its path."""
    if vendored is not None and options.to is not None:
        return vendor(vendored, planned, generated, receipts, Path(options.to))
    return dict(written(planned, generated, options.leave, terminal).places)


def _filter(looked_at: Targets, planned: Plans, found: Findings, options: Apply) -> int:
    """Writes the text of stdin, fixed, to stdout."""
    for target in looked_at.targets:
        entry = next((entry for entry in planned.planned if entry.target is target), None)
        terminal.give(entry.patch.after if entry else target.source.raw)
    result = Result(found, second_look(found, planned, {}, terminal), planned, Proofs({}), {}, is_diff=False)
    tell_filtered(result)
    return _exit_code(options, result.remaining, found, planned)


def _exit_code(options: Apply, left: Findings, found: Findings, planned: Plans, told: Sequence[str] = ()) -> int:
    return outcome.exit_code(
        findings=bool(left.diagnostics) and not options.exit_zero,
        errors=(*found.errors, *left.errors, *told),
        bugs=(*found.bugs, *left.bugs, *planned.bugs),
    )
