"""One look at the code: every fix that is found in it, with what is known of each."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path

from jaxfix.drivers.workflow import accounting, programs
from jaxfix.drivers.workflow.agenda import Agenda, agenda, root_of
from jaxfix.drivers.workflow.candidates import Candidate, Shown, candidates, text_of
from jaxfix.drivers.workflow.consent import Mode
from jaxfix.drivers.workflow.decisions import Name
from jaxfix.drivers.workflow.driving import can_be_driven
from jaxfix.drivers.workflow.planning import NO_PROGRAM, NOT_RUN, by_mode
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.request import Leave, Request
from jaxfix.drivers.workflow.session import Session, opened
from jaxfix.drivers.workflow.targets import Target, find_targets
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.engine.plan import Accept
from jaxfix.report.evidence import Evidence
from jaxfix.source.errors import BugError, UserError
from jaxfix.source.frozen import frozen

Receipts = Mapping[tuple[str, str], Evidence]


@frozen
class Wishes:
    """What the command line asked for; `rerun.command` is the program that it named."""

    request: Request
    rerun: Rerun
    leave: Leave = field(default_factory=Leave)


@frozen
class Look:
    """One look at the code. `number` tells it from the others; `found` is numbered by the page."""

    number: int
    session: Session
    found: tuple[Candidate, ...]
    agenda: Agenda | None
    root: Path
    notes: tuple[str, ...]
    problems: tuple[str, ...]

    def names(self, numbers: Iterable[int]) -> tuple[Name, ...]:
        return tuple(self.found[number].name for number in numbers if 0 <= number < len(self.found))


def look(
    wishes: Wishes, number: int, watcher: Watcher, holding: Callable[[Session], Receipts] = lambda session: {}
) -> Look:
    """Analyses everything, with the known results of each fix.

    Args:
      holding: which receipts of this run of jaxfix hold for what is read.

    Raises:
      UserError: what is asked for cannot be analysed.
    """
    looked_at = find_targets(wishes.request)
    if not looked_at.targets and looked_at.errors:
        raise UserError("; ".join(looked_at.errors))
    session = opened(looked_at, watcher)
    receipts = holding(session)
    command = wishes.rerun.command or looked_at.run
    python = wishes.request.python or wishes.rerun.target.interpreter
    shown = Shown(receipts, accounting.remembered(session.looked_at.targets))
    would_run = agenda(session.fixable, command, python)
    if would_run is not None and would_run.is_empty:
        would_run = None
    found: list[Candidate] = []
    problems = [*session.found.errors, *session.found.bugs]
    with watcher.progress("making fixes", len(session.fixable)) as advance:
        for target in session.fixable:
            try:
                found += candidates(target, shown, partial(_unasked, would_run, receipts))
            except (BugError, UserError) as error:
                problems.append(str(error))
            advance(target.source.path)
    own_paths = [t.path for t in session.looked_at.targets if t.path is not None and t.module is None]
    lacking = {entry.name.path for entry in found if entry.held == NO_PROGRAM.text}
    notes = (*looked_at.notes, *_missing([target for target in session.fixable if target.source.path in lacking]))
    return Look(number, session, tuple(found), would_run, root_of(own_paths), notes, tuple(problems))


def _missing(targets: Iterable[Target]) -> Iterator[str]:
    """The whole commands that would let the page prove what it cannot now."""
    paths = [target.path for target in targets if target.path is not None and target.module is None]
    return programs.words(programs.commands(paths), paths, "review") if paths else iter(())


def informed(found: Look, receipts: Receipts) -> Look:
    """The same look, with what reruns have shown since."""
    shown = Shown(receipts, accounting.remembered(found.session.looked_at.targets))
    accepts = {
        target.source.path: _unasked(found.agenda, receipts, target) for target in found.session.looked_at.targets
    }
    fresh = tuple(
        replace(entry, known=shown.of(entry.name), held=text_of(accepts[entry.name.path](entry.fix)))
        for entry in found.found
    )
    return replace(found, number=found.number + 1, found=fresh)


def _unasked(would_run: Agenda | None, receipts: Receipts, target: Target) -> Accept:
    """What would be written without a decision."""
    can_run = would_run is not None and (would_run.command is not None or can_be_driven(target))
    return by_mode(Mode.RERUN, receipts, target, lacking=NOT_RUN if can_run else NO_PROGRAM)


def agenda_digest(shown: Agenda) -> str:
    """Names all that a person says yes to."""
    parts = (shown.project, shown.folder, shown.command, *shown.drives, shown.python)
    return hashlib.sha256("\0".join(map(str, parts)).encode(errors="surrogateescape")).hexdigest()
