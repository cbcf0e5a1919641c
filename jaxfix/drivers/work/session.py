"""One look at the user's code and what is done about it, step by step, for whoever decides which fixes are made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from jaxfix.core.finding import Safety
from jaxfix.core.report import Diagnostic
from jaxfix.core.source import SourceFile
from jaxfix.drivers import files
from jaxfix.drivers.work.consent import Mode
from jaxfix.drivers.work.generating import Needed, is_generated, needed
from jaxfix.drivers.work.looking import Findings, look, look_again, reread
from jaxfix.drivers.work.notebooks import drifting, refuse_kernel
from jaxfix.drivers.work.planning import Planned, Plans, by_mode, plans
from jaxfix.drivers.work.proof import Proofs, Rerun, prove_all
from jaxfix.drivers.work.targets import Target, Targets
from jaxfix.drivers.work.watching import Watcher
from jaxfix.drivers.work.writing import Leave, refuse_unsaved, write


@dataclass(frozen=True, slots=True)
class Session:
    """What was looked at, and what was found; nothing is decided yet, and nothing written."""

    looked_at: Targets
    found: Findings

    @property
    def fixable(self) -> tuple[Target, ...]:
        """The targets in which there is something to fix."""
        paths = {diagnostic.path for diagnostic in self.found.diagnostics if diagnostic.fixable}
        wanted = self.looked_at.targets
        return tuple(target for target in wanted if target.source.path in paths and not is_generated(target))

    @property
    def waiting(self) -> int:
        """How many fixes need evidence."""
        return sum(entry.fixable and entry.safety is Safety.NEEDS_EVIDENCE for entry in self.found.diagnostics)

    def candidates(self) -> Plans:
        """Every fix that there is, as if all were taken."""
        return plans(self.fixable, partial(by_mode, Mode.EVERYTHING, {}))


def opened(looked_at: Targets, watcher: Watcher) -> Session:
    """Looks at all targets; what is wrong with one is among the errors."""
    looked = look(looked_at, watcher)
    found = replace(looked.findings, errors=(*looked_at.errors, *looked.findings.errors))
    return Session(replace(looked_at, targets=looked.targets), found)


def proven(session: Session, rerun: Rerun, leave: Leave, watcher: Watcher) -> Proofs:
    """Reruns with and without every fix of the session.

    Raises:
      EvidenceError: the program cannot be run.
      WriteError: what is proven could not be written, as version control could not bring back what is there.
    """
    return tried(refuse_unwritable(session, leave), session.found.diagnostics, rerun, watcher)


def tried(planned: Sequence[Planned], found: Iterable[Diagnostic], rerun: Rerun, watcher: Watcher) -> Proofs:
    """Reruns with and without the fixes of `planned`, which are those of `found`.

    Raises:
      EvidenceError: the program cannot be run, or not be watched.
    """
    refuse_kernel(planned, rerun.command)
    told = {(diagnostic.path, diagnostic.key): diagnostic for diagnostic in found}
    proofs = prove_all(planned, rerun, {name: diagnostic.line for name, diagnostic in told.items()}, watcher)
    cells = {name: diagnostic.cell for name, diagnostic in told.items()}
    receipts = {name: replace(evidence, cell=cells.get(name)) for name, evidence in proofs.receipts.items()}
    return replace(proofs, receipts=receipts)


def refuse_unwritable(session: Session, leave: Leave) -> tuple[Planned, ...]:
    """What would be written if every fix were taken.

    Raises:
      WriteError: version control could not bring back what is there now.
    """
    candidates = session.candidates().changed
    refuse_unsaved(own(candidates), own_generated(needed(candidates)), leave)
    return candidates


def written(planned: Plans, generated: Sequence[Needed], leave: Leave, watcher: Watcher) -> dict[str, Path]:
    """Writes the user's own files, never what pip installed; returns where each written source is, by its path.

    Raises:
      WriteError: nothing was written.
    """
    changed = own(planned.changed)
    write(changed, own_generated(generated), leave, watcher)
    for told in drifting(changed):
        watcher.note(told)
    return {entry.patch.path: entry.target.path for entry in changed if entry.target.path is not None}


def second_look(found: Findings, planned: Plans, places: Mapping[str, Path], watcher: Watcher) -> Findings:
    """What is found now: in the bytes on the disk where something was written, else in the planned ones."""
    changed = {entry.patch.path: entry for entry in planned.changed}
    again = look_again([_reread(entry, places.get(path)) for path, entry in changed.items()], watcher)
    kept = tuple(diagnostic for diagnostic in found.diagnostics if diagnostic.path not in changed)
    order = {diagnostic.path: index for index, diagnostic in enumerate(found.diagnostics)}
    remaining = sorted((*kept, *again.diagnostics), key=lambda diagnostic: order[diagnostic.path])
    return Findings(tuple(remaining), again.errors, again.bugs)


def own(planned: Sequence[Planned]) -> tuple[Planned, ...]:
    """Those of the user's own files."""
    return tuple(entry for entry in planned if entry.target.module is None)


def own_generated(generated: Sequence[Needed]) -> tuple[Needed, ...]:
    """The helper files of the user's own that are new or change."""
    return tuple(entry for entry in generated if entry.module is None and entry.is_change)


def _reread(entry: Planned, place: Path | None) -> Target:
    # In a vendored copy the imports of the package may have another name, which no other file's facts know.
    is_own = place is not None and entry.target.module is None
    raw = files.read_bytes(place) if place is not None and is_own else entry.patch.after
    return reread(entry.target, SourceFile.decode(entry.patch.path, raw))
