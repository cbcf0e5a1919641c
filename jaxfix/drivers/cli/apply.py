"""`jaxfix apply`: writes what is safe, and what a rerun proves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from jaxfix.drivers.cli import cache, outcome, output, terminal
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
from jaxfix.drivers.workflow.consent import Mode, Wish
from jaxfix.drivers.workflow.generating import Needed, needed
from jaxfix.drivers.workflow.looking import Findings
from jaxfix.drivers.workflow.planning import Plans, Receipts, by_mode, plans
from jaxfix.drivers.workflow.proof import Proofs, Rerun, named_function
from jaxfix.drivers.workflow.salvaging import salvaging
from jaxfix.drivers.workflow.session import Session, opened, proven, refuse_unwritable, second_look, written
from jaxfix.drivers.workflow.targets import STDIN, Request, Targets, targets
from jaxfix.drivers.workflow.writing import Leave
from jaxfix.evidence.elsewhere import target_for
from jaxfix.source.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Options:
    """What `apply` was asked to do with what it finds; `to` is where an installed package is vendored.

    `timeout_s` is for each of the runs that prove, `steps` after how many steps a program is ended, and `compared` what
    is compared beside what was rewritten, as `module:function`; `on` and `launcher` say where they run; `output_file`
    is where the report goes, None for stdout. With `interactive` a person decides; `forget` drops what they refused
    before. `stat` counts the lines that would change. With `cache`, what was found before counts where nothing has
    changed.
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
    output_file: str | None = None
    interactive: bool = False
    forget: bool = False
    stat: bool = False
    cache: bool = True

    @property
    def is_dry(self) -> bool:
        """Whether only what would change is shown."""
        return self.diff or self.stat

    @property
    def written_over(self) -> Leave:
        """What may be written over; anything, where nothing is written."""
        return Leave(dirty=True, no_vcs=True) if self.is_dry else self.leave


@dataclass(frozen=True, slots=True)
class _Decided:
    """What is to be written, and what reruns have shown of it.

    Attributes:
      command: the program that was rerun, if any was.
      errors: what could not be rerun.
      told: that which a person was told of already.
      reviewed: what a person has decided, if one was asked and wants anything written.
    """

    plans: Plans
    proofs: Proofs
    command: str | None
    errors: tuple[str, ...]
    reviewed: Reviewed | None = None
    told: tuple[str, ...] = ()


def apply(request: Request, options: Options) -> int:
    """Finds, plans, reruns if that is agreed to, and writes; returns the exit code."""
    _check_options(request, options)
    place = target_for(options.on, options.launcher, request.python)
    looked_at = targets(request)
    _check_targets(request, options, looked_at)
    vendored = only_package(looked_at.targets) if options.to is not None else None
    copy = place_for(vendored, Path(options.to)) if vendored and options.to is not None else None
    session = _opened(looked_at) if options.cache else opened(looked_at, terminal)
    shown = agenda(session.fixable, looked_at.run, request.python or place.interpreter)

    def rerun(command: str | None) -> Rerun:
        return Rerun(command, request.python, options.timeout_s, options.steps, options.compared, place)

    decided = _decided(session, shown, rerun, options)
    planned, proofs = decided.plans, decided.proofs
    found = replace(session.found, errors=(*session.found.errors, *decided.errors))
    generated = needed(planned.changed)
    if STDIN in request.paths:
        return _filter(session.looked_at, planned, found)
    places: dict[str, Path] = {}
    try:
        places = {} if options.is_dry else _write(planned, generated, vendored, proofs.receipts, options)
    finally:  # a rerun may have taken hours
        if not options.is_dry:
            record = (decided.command, request.python, place)
            recording.keep(planned.planned, proofs.receipts, places, *record, terminal)
    if decided.reviewed is not None:
        settle(session, decided.reviewed, places)
    result = Result(
        found,
        second_look(found, planned, places, terminal),
        planned,
        proofs,
        places,
        options.is_dry,
        None if options.is_dry else copy,
        generated,
        session.looked_at.targets,
        options.diff,
        options.stat,
    )
    tell(result, options.output_format, options.output_file)
    for note in looked_at.notes:
        terminal.note(note)
    return _exit_code(found if options.is_dry else result.remaining, found, planned, decided.told)


def _opened(looked_at: Targets) -> Session:
    """As `opened`; where nothing is new since the last look and nothing is to be fixed, that look counts."""
    with cache.memory_of(looked_at) as memory:
        return opened(looked_at, terminal, memory)


def _decided(
    session: Session, shown: Agenda | None, rerun: Callable[[str | None], Rerun], options: Options
) -> _Decided:
    """What the options decide, and what a rerun shows if it may; or what a person does."""
    allowed = agreed(options.wish, shown, session.waiting, is_asked_later=options.interactive)
    proofs = Proofs({})
    if allowed.mode is Mode.RERUN and session.fixable:
        how = rerun(allowed.command)
        salvage = (lambda planned, receipts: None) if options.is_dry else salvaging(how, terminal)
        proofs = proven(session, how, options.written_over, terminal, salvage)
    if not options.interactive:
        taken = plans(session.fixable, partial(by_mode, allowed.mode, proofs.receipts))
        return _Decided(taken, proofs, allowed.command, proofs.errors)
    refuse_unwritable(session, options.leave)
    prover = Prover(session, shown, allowed, rerun, options.wish.no_prove)
    reviewed = review(session, prover, proofs, forgets=options.forget)
    told = (*proofs.errors, *prover.failures)
    if reviewed is None:
        return _Decided(Plans((), ()), Proofs({}), None, (), told=told)
    return _Decided(reviewed.plans, reviewed.proofs, prover.allowed.command, (), reviewed, told)


def _check_options(request: Request, options: Options) -> None:
    consent.check(options.wish)
    for name in options.compared:
        named_function(name)
    _check_interactive(request, options)
    is_text = options.output_format == "text"
    if options.is_dry and not is_text and options.output_file is None:
        shown = "--diff" if options.diff else "--stat"
        raise ConfigError(
            f"`{shown}` and `--output-format {options.output_format}` both want stdout",
            hint="give one a file: `--output-file FILE`",
        )
    output.refuse_unwritable(options.output_file)
    if STDIN not in request.paths:
        return
    if len(request.paths) > 1 or options.to or not is_text or options.output_file is not None or options.is_dry:
        raise ConfigError("`apply -` writes the fixed text to stdout, and takes no other path or output")
    if request.helper is not None:
        raise ConfigError("`apply -` writes no file, so `--helper` has nothing to place")
    if options.wish.prove or options.wish.run is not None:
        raise ConfigError("what comes from stdin cannot be rerun", hint="name the file")


def _check_interactive(request: Request, options: Options) -> None:
    if not options.interactive:
        if options.forget:
            raise ConfigError("`--forget` forgets the answers of `--interactive`", hint="give both")
        return
    others = (("--diff", options.diff), ("--stat", options.stat), ("--unproven", options.wish.unproven))
    other = next((name for name, is_given in others if is_given), None)
    if other is not None:
        raise ConfigError(f"`--interactive` and `{other}` contradict each other")
    if STDIN in request.paths:
        raise ConfigError("`-` reads stdin, where `--interactive` wants the answers", hint="name the file")
    if not terminal.is_attended():
        raise ConfigError("`--interactive` asks a person, and there is no terminal", hint="`--diff` shows the fixes")


def _check_targets(request: Request, options: Options, looked_at: Targets) -> None:
    output.refuse_taken(options.output_file, (target.path for target in looked_at.targets if target.path is not None))
    installed = next((target.module.package for target in looked_at.targets if target.module is not None), None)
    if request.helper is not None and installed is not None:
        raise ConfigError(
            f"`--helper` places a file of your own project, and `{installed}` is installed",
            hint="a package brings its helper file along: leave the option out",
        )


def _write(
    planned: Plans, generated: Sequence[Needed], vendored: Installed | None, receipts: Receipts, options: Options
) -> dict[str, Path]:
    """Writes what may be written; returns where each written source is now, by its path."""
    if vendored is not None and options.to is not None:
        return vendor(vendored, planned, generated, receipts, Path(options.to))
    return dict(written(planned, generated, options.leave, terminal).places)


def _filter(looked_at: Targets, planned: Plans, found: Findings) -> int:
    """Writes the text of stdin, fixed, to stdout."""
    for target in looked_at.targets:
        entry = next((entry for entry in planned.planned if entry.target is target), None)
        terminal.give(entry.patch.after if entry else target.source.raw)
    result = Result(found, second_look(found, planned, {}, terminal), planned, Proofs({}), {}, is_diff=False)
    tell_filtered(result)
    return _exit_code(result.remaining, found, planned)


def _exit_code(left: Findings, found: Findings, planned: Plans, told: Sequence[str] = ()) -> int:
    return outcome.exit_code(
        findings=bool(left.diagnostics),
        errors=(*found.errors, *left.errors, *told),
        bugs=(*found.bugs, *left.bugs, *planned.bugs),
    )
