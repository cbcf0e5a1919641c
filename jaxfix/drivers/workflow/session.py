"""One look at the user's code and what is done about it, step by step; the caller decides which fixes are made."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.workflow.generating import Needed, is_generated, needed
from jaxfix.drivers.workflow.looking import Findings, look, look_again, reread
from jaxfix.drivers.workflow.notebooks import drifting, refuse_kernel
from jaxfix.drivers.workflow.planning import Planned, Plans, Receipts, plans, whatever_can_be_written
from jaxfix.drivers.workflow.proof import Rerun, prove_all
from jaxfix.drivers.workflow.request import Leave
from jaxfix.drivers.workflow.targets import Target, Targets
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.drivers.workflow.writing import Mark, refuse_unsaved, write
from jaxfix.engine.memory import Memory
from jaxfix.report.evidence import Evidence
from jaxfix.report.report import Diagnostic, Seen
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

Salvage = Callable[[Sequence[Planned], Receipts], None]
"""Told what reruns of these have shown, where Ctrl-C or a lost connection ends them before their end."""


@frozen
class Session:
    """The analysis and its findings, before any decision or write."""

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
        return sum(entry.fixable and entry.safety.waits for entry in self.found.diagnostics)

    def candidates(self) -> Plans:
        """Every fix that there is, as if all were taken."""
        return plans(self.fixable, whatever_can_be_written)


def opened(looked_at: Targets, watcher: Watcher, memory: Memory | None = None) -> Session:
    """Analyses all targets; what cannot be analysed is among the errors.

    Args:
      memory: what was found before; fixes are made of what is read now.
    """
    looked = look(looked_at, watcher, memory)
    found = replace(looked.findings, errors=(*looked_at.errors, *looked.findings.errors))
    return Session(replace(looked_at, targets=looked.targets), found)


def proven(session: Session, rerun: Rerun, leave: Leave, watcher: Watcher, salvage: Salvage) -> Proofs:
    """Reruns with and without every fix of the session.

    Raises:
      EvidenceError: the program cannot be run.
      WriteError: what is proven could not be written, as version control could not bring back what is there.
    """
    return tried(refuse_unwritable(session, leave), session.found.diagnostics, rerun, watcher, salvage)


def tried(
    planned: Sequence[Planned],
    found: Iterable[Diagnostic],
    rerun: Rerun,
    watcher: Watcher,
    salvage: Salvage = lambda planned, receipts: None,
) -> Proofs:
    """Reruns with and without the fixes of `planned`, which are those of `found`.

    Raises:
      EvidenceError: the program cannot be run, or not be watched.
    """
    refuse_kernel(planned, rerun.command)
    told = {(diagnostic.path, diagnostic.key): diagnostic for diagnostic in found}
    lines = {name: diagnostic.line for name, diagnostic in told.items()}
    cells = {name: diagnostic.cell for name, diagnostic in told.items()}
    shown: dict[tuple[str, str], Evidence] = {}

    def placed(receipts: Receipts) -> Receipts:
        return {name: replace(evidence, cell=cells.get(name)) for name, evidence in receipts.items()}

    try:
        proofs = prove_all(planned, rerun, lines, watcher, shown)
    except BaseException:
        if shown:
            salvage(planned, placed(shown))
        raise
    return replace(proofs, receipts=placed(proofs.receipts))


def refuse_unwritable(session: Session, leave: Leave) -> tuple[Planned, ...]:
    """What would be written if every fix were taken.

    Raises:
      WriteError: version control could not bring back what is there now.
    """
    candidates = session.candidates().changed
    refuse_unsaved(own(candidates), own_generated(needed(candidates)), leave)
    return candidates


def refuse_read_only(session: Session) -> None:
    """Raises WriteError if what reruns may prove could not be written anyway."""
    files.refuse_read_only(
        entry.target.path for entry in own(session.candidates().changed) if entry.target.path is not None
    )


@frozen
class Written:
    """What was written: where each source is, by its path, and how to undo it; None if nothing was."""

    places: Mapping[str, Path]
    mark: Mark | None


def written(planned: Plans, generated: Sequence[Needed], leave: Leave, watcher: Watcher) -> Written:
    """Writes the user's own files, never what pip installed.

    Raises:
      WriteError: nothing was written.
    """
    changed = own(planned.changed)
    mark = write(changed, own_generated(generated), leave, watcher)
    for told in drifting(changed):
        watcher.note(told)
    places = {entry.patch.path: entry.target.path for entry in changed if entry.target.path is not None}
    return Written(places, mark)


def second_look(found: Findings, planned: Plans, places: Mapping[str, Path], watcher: Watcher) -> Findings:
    """What is found now: in the bytes on the disk where something was written, else in the planned ones.

    What the fixes themselves have added is theirs: nothing without a fix is charged with it.
    """
    changed = {entry.patch.path: entry for entry in planned.changed}
    there, errors = [], []
    for path, entry in changed.items():
        try:
            there.append(_reread(entry, places.get(path)))
        except UserError as error:  # gone by now, or no longer Python
            errors.append(str(error))
    again = look_again(there, watcher)
    added = {path: _added(entry.patch.before, entry.patch.after) for path, entry in changed.items()}
    left = _without_added(again.diagnostics, found.diagnostics, added)
    kept = tuple(diagnostic for diagnostic in found.diagnostics if diagnostic.path not in changed)
    order = {diagnostic.path: index for index, diagnostic in enumerate(found.diagnostics)}
    seen = {(entry.path, entry.key): entry.seen for entry in found.diagnostics if entry.seen is not None}
    remaining = sorted((*kept, *left), key=lambda diagnostic: order[diagnostic.path])
    return weighed(Findings(tuple(remaining), (*errors, *again.errors), again.bugs), seen)


def weighed(found: Findings, seen: Mapping[tuple[str, str], Seen]) -> Findings:
    """The findings with what a run measured of them, the most expensive first."""
    told = [replace(entry, seen=seen.get((entry.path, entry.key), entry.seen)) for entry in found.diagnostics]
    told.sort(key=lambda entry: -entry.seen.seconds if entry.seen else 0.0)
    return replace(found, diagnostics=tuple(told))


def _without_added(
    now: Sequence[Diagnostic], before: Sequence[Diagnostic], added: Mapping[str, frozenset[int]]
) -> Iterator[Diagnostic]:
    """All but those without a fix in added lines, as far as a codemod finds more in the file than before."""
    more = Counter((each.path, each.id) for each in now) - Counter((each.path, each.id) for each in before)
    for each in now:
        is_new = not each.fixable and each.line in added[each.path] and more[each.path, each.id] > 0
        more[each.path, each.id] -= is_new
        if not is_new:
            yield each


def _added(before: bytes, after: bytes) -> frozenset[int]:
    """The lines of `after` that `before` has not, from 1."""
    matched = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    added = (range(j1, j2) for tag, _, _, j1, j2 in matched.get_opcodes() if tag != "equal")
    return frozenset(line + 1 for lines in added for line in lines)


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
