"""What a write would do: shown first, and agreed to by its digest."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from jaxfix.drivers import files
from jaxfix.drivers.review.look import Look
from jaxfix.drivers.workflow import decisions
from jaxfix.drivers.workflow.candidates import Candidate
from jaxfix.drivers.workflow.decisions import Decisions, Name
from jaxfix.drivers.workflow.generating import Needed, needed
from jaxfix.drivers.workflow.planning import Plans
from jaxfix.drivers.workflow.request import Leave
from jaxfix.drivers.workflow.session import own, own_generated
from jaxfix.drivers.workflow.writing import refuse_unsaved
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen

INSTALLED = "what pip installed is not written: `jaxfix apply --to DIR` vendors a fixed copy"


@frozen
class FileChange:
    """What becomes of one file; `before` is None for a new one."""

    path: str
    before: bytes | None
    after: bytes


@frozen
class Plan:
    """What a write would do.

    Attributes:
      digest: of all of it: who agrees to a plan agrees to these bytes.
      titles: of the fixes that are made.
      unmade: the numbers of accepted fixes that are not, and why.
      unproven: the numbers of those that need evidence, and have none of this session.
      problem: why nothing may be written now.
    """

    plans: Plans
    generated: tuple[Needed, ...]
    files: tuple[FileChange, ...]
    digest: str
    titles: tuple[str, ...]
    unmade: tuple[tuple[int, str], ...]
    unproven: tuple[int, ...]
    problem: str | None


def plan(seen: Look, decided: Decisions, leave: Leave) -> Plan:
    """What a write would do now.

    Raises:
      UserError: that cannot be determined.
    """
    planned = decisions.planned(seen.session.fixable, decided)
    generated = own_generated(needed(planned.changed))
    changed = own(planned.changed)
    shown = [FileChange(e.patch.path, e.patch.before, e.patch.after) for e in changed]
    shown += [FileChange(e.generated.path, e.generated.before, e.generated.after) for e in generated]
    numbers = {entry.name: number for number, entry in enumerate(seen.found)}
    made = {Name(entry.patch.path, fix.key) for entry in changed for fix in entry.patch.applied}
    unproven = [numbers[name] for name in made if name in numbers and not _is_sure(seen.found[numbers[name]], decided)]
    return Plan(
        planned,
        generated,
        tuple(shown),
        _digest(shown),
        tuple(fix.title for entry in changed for fix in entry.patch.applied),
        tuple(_left(planned, decided, numbers)),
        tuple(sorted(unproven)),
        _problem(planned, generated, leave),
    )


def _left(planned: Plans, decided: Decisions, numbers: Mapping[Name, int]) -> Iterator[tuple[int, str]]:
    """The accepted fixes that are not written, and why."""
    for entry in decisions.unmade(planned, decided):
        if entry.name in numbers:
            yield numbers[entry.name], entry.reason
    others = [entry for entry in planned.changed if entry.target.module is not None]
    installed = [Name(entry.patch.path, fix.key) for entry in others for fix in entry.patch.applied]
    yield from ((numbers[name], INSTALLED) for name in installed if name in numbers)


def _is_sure(entry: Candidate, decided: Decisions) -> bool:
    return entry.held is None and entry.name not in decided.edited


def _problem(planned: Plans, generated: Sequence[Needed], leave: Leave) -> str | None:
    if planned.bugs:
        return planned.bugs[0]
    try:
        refuse_unsaved(own(planned.changed), generated, leave)
        files.refuse_changed(
            files.Replacement(e.target.path, e.patch.before, e.patch.after)
            for e in own(planned.changed)
            if e.target.path is not None
        )
    except UserError as error:
        return str(error)
    return None


def _digest(changes: Iterable[FileChange]) -> str:
    digest = hashlib.sha256()
    for change in changes:
        for part in (change.path.encode(errors="surrogateescape"), change.before or b"", change.after):
            digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()
