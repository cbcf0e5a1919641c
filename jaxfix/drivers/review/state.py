"""The state of a review: findings, decisions, results of reruns, written files."""

import hashlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from jaxfix.drivers import files, journal
from jaxfix.drivers.review import own_text
from jaxfix.drivers.review.look import Receipts, Wishes, agenda_digest, informed, look
from jaxfix.drivers.review.plan import FileChange, Plan, plan
from jaxfix.drivers.review.proving import sources
from jaxfix.drivers.review.rerunning import Rerunning, Run
from jaxfix.drivers.workflow import decisions, recording
from jaxfix.drivers.workflow.candidates import Candidate
from jaxfix.drivers.workflow.decisions import Choice, Decisions, Name
from jaxfix.drivers.workflow.planning import Plans
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.session import Session, own, written
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.drivers.workflow.writing import Mark
from jaxfix.report.evidence import Comparison
from jaxfix.report.report import Diagnostic
from jaxfix.source.errors import UserError, WriteError
from jaxfix.source.frozen import frozen

RUNNING = "a rerun is in progress: wait for it, or cancel it"


@frozen
class Written:
    """What the last write has done."""

    mark: Mark
    files: tuple[FileChange, ...]
    titles: tuple[str, ...]
    undone: bool = False


class Stale(Exception):
    """The page speaks of an older look."""


class ReviewState:
    """The one place where a review changes, whatever requests it; each change is sent to all listeners."""

    def __init__(self, wishes: Wishes, watcher: Watcher) -> None:
        self._wishes, self._watcher = wishes, watcher
        self._lock = threading.RLock()
        self._listeners: set[Callable[[], None]] = set()
        self._proofs = Proofs({})
        self._past: list[Decisions] = []
        self._made: frozenset[Name] = frozenset()
        self._stamps: dict[Path, tuple[tuple[int, int, int], bool]] = {}
        self._rerunning = Rerunning(self._lock, self._ended, self._tell)
        self.revision = 0
        self.written: Written | None = None
        self.changed: tuple[str, ...] = ()
        self.problem: str | None = None
        self.seen = look(wishes, 1, watcher)
        self.decisions = self._recalled()

    @property
    def lock(self) -> threading.RLock:
        """Held while more than one thing is read."""
        return self._lock

    @property
    def together(self) -> tuple[Comparison, ...]:
        """What the proven fixes do together."""
        return self._proofs.together

    @property
    def rerun(self) -> Rerun:
        """What a yes would run."""
        command = self.seen.agenda.command if self.seen.agenda is not None else None
        return replace(self._wishes.rerun, command=command)

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_forget(self) -> bool:
        return bool(self.decisions.choices or self.decisions.edited)

    @property
    def run(self) -> Run:
        return self._rerunning.run

    @property
    def is_running(self) -> bool:
        return self._rerunning.is_running

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener`, in any thread, after each change; returns what ends that."""
        with self._lock:
            self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    # decisions

    def decide(self, number: int, fixes: Sequence[int], choice: Choice | None) -> None:
        """Decides so about the fixes of the look `number`, and remembers it.

        Raises:
          Stale: there was another look since.
          WriteError: it cannot be remembered.
        """
        with self._lock:
            if number != self.seen.number:
                raise Stale
            possible = [fix for fix in fixes if 0 <= fix < len(self.seen.found) and _is_possible(self.seen.found[fix])]
            decided = self.decisions.with_choice(self.seen.names(possible), choice)
            self._keep(decided)
            if decided != self.decisions:  # else there is nothing that `undo` could take back
                self._past.append(self.decisions)
            self.decisions = decided
            self._tell()

    def undo(self) -> tuple[int, ...]:
        """Takes back the last decision; returns the fixes that it was about.

        Raises:
          WriteError: it cannot be remembered.
        """
        with self._lock:
            if not self._past:
                return ()
            before = self._past[-1]
            self._keep(before)
            self._past.pop()
            now = self.decisions
            self._decided(before)
            return tuple(
                n for n, entry in enumerate(self.seen.found) if now.of(entry.name) is not before.of(entry.name)
            )

    def edit(self, number: int, fix: int, text: str | None) -> None:
        """Takes a fix as a person writes it, in the whole file `text`; for None it is as it was found again.

        Raises:
          Stale: there was another look since.
          UserError: it is nothing that could be written, or cannot be remembered.
        """
        with self._lock:
            if number != self.seen.number or not 0 <= fix < len(self.seen.found):
                raise Stale
            made = own_text.edited(self.seen, self.decisions, fix, text)
            self._keep(made)
            self._past.append(self.decisions)
            self._decided(made)

    def forget(self, number: int) -> None:
        """Drops all decisions and edits of the analysed files; `undo` restores them.

        Raises:
          Stale: there was another look since.
          WriteError: it cannot be forgotten.
        """
        with self._lock:
            if number != self.seen.number:
                raise Stale
            decisions.forget(self.seen.session)
            self._past.append(self.decisions)
            self._decided(Decisions())

    def _decided(self, made: Decisions) -> None:
        """Goes on with what is decided; fixes that a person has edited are shown as they are now."""
        if made.edited != self.decisions.edited:
            self.seen = replace(self.seen, number=self.seen.number + 1)
        self.decisions = made
        self._tell()

    # writing

    def plan(self) -> Plan:
        """What a write would do now.

        Raises:
          UserError: that cannot be determined.
        """
        with self._lock:
            made = plan(self.seen, self.decisions, self._wishes.leave)
            return replace(made, problem=RUNNING) if self.is_running else made

    def write(self, digest: str) -> None:
        """Writes the plan that has this digest.

        Raises:
          WriteError: nothing was written.
        """
        with self._lock:
            plan = self.plan()
            if plan.digest != digest:
                raise WriteError("what would be written has changed since it was shown", hint="review it again")
            if plan.problem is not None:
                raise WriteError(plan.problem)
            if not plan.files:
                raise WriteError("no accepted fix changes a file")
            done = written(plan.plans, plan.generated, self._wishes.leave, self._watcher)
            assert done.mark is not None  # it has files
            self.written = Written(done.mark, plan.files, plan.titles)
            self._made = frozenset(
                Name(e.patch.path, fix.key) for e in own(plan.plans.changed) for fix in e.patch.applied
            )
            open_again = self.decisions.with_choice(self._made, None)  # should `undo` bring them back
            problems = self._tried(partial(self._record, plan.plans, done.places), partial(self._keep, open_again))
            problems += self._tried(partial(self._look_again, {entry.path: entry.after for entry in plan.files}))
            self._complain(problems)

    def take_back(self, number: int) -> None:
        """Undoes the write of that number.

        Raises:
          WriteError: it is not the last one, or a file has changed since; nothing was written.
        """
        with self._lock:
            if self.is_running:
                raise WriteError(RUNNING)
            mine = self.written
            if mine is None or mine.undone or number != mine.mark.number:
                raise WriteError("it is not the last apply here", hint="`jaxfix undo --list` names all")
            journal.undo(mine.mark.root, number)
            self.written = replace(mine, undone=True)
            problems = self._tried(partial(self._look_again, {entry.path: entry.before for entry in mine.files}))
            self.decisions = self.decisions.with_choice(self._made, Choice.ACCEPTED)
            self._complain([*problems, *self._tried(partial(self._keep, self.decisions))])

    def look_again(self) -> None:
        """Reads all files again.

        Raises:
          UserError: they cannot be analysed.
        """
        with self._lock:
            if self.is_running:
                raise UserError(RUNNING)
            self._look_again()

    def watch_files(self) -> None:
        """Notices which files are not what they were when they were read."""
        with self._lock:
            if self.is_running:
                return
            seen = self.seen
        targets = seen.session.looked_at.targets
        found = tuple(t.source.path for t in targets if t.path is not None and self._differs(t.path, t.source.raw))
        with self._lock:
            if seen is self.seen and found != self.changed:
                self.changed = found
                self._tell()

    # proving

    def prove(self, digest: str) -> None:
        """Starts the rerun that a person has agreed to, who was shown what has this digest.

        Raises:
          UserError: it is not what would run now.
        """
        with self._lock:
            if self.is_running:
                raise UserError(RUNNING)
            if self.seen.agenda is None or agenda_digest(self.seen.agenda) != digest:
                raise UserError("what would run has changed since it was shown", hint="review it again")
            self._rerunning.start(self._wishes.request, self.seen.session, self.rerun)

    def cancel(self) -> None:
        """Ends the rerun, if there is one."""
        self._rerunning.cancel()

    def close(self) -> None:
        """Ends the rerun, and waits for that."""
        self._rerunning.close()

    def _ended(self, proofs: Proofs) -> None:
        """Continues with the result of a rerun."""
        self._proofs = replace(proofs, receipts={**self._proofs.receipts, **proofs.receipts})
        self.seen = informed(self.seen, self._proofs.receipts)
        failures = self._tried(lambda: self._record(self.seen.session.candidates(), {}, proofs))
        self.problem = "; ".join((*proofs.errors, *failures)) or None

    # all the rest

    def _tried(self, *acts: Callable[[], None]) -> list[str]:
        """Does the work that follows a change already made; returns what failed."""
        failures = []
        for act in acts:
            try:
                act()
            except UserError as error:
                failures.append(str(error))
        return failures

    def _complain(self, problems: Sequence[str]) -> None:
        if problems:
            self.problem = "; ".join(problems)
        self._tell()

    def _look_again(self, changes: Mapping[str, bytes | None] | None = None) -> None:
        """Reads everything again; what reruns have shown is forgotten if more has changed than `changes`."""
        expected = {**sources(self.seen.session), **_digests(changes or {})}
        self.seen = look(self._wishes, self.seen.number + 1, self._watcher, partial(self._holding, expected))
        self._past.clear()
        self.decisions = self._recalled()
        self.changed = ()
        self._tell()

    def _holding(self, expected: Mapping[str, str | None], session: Session) -> Receipts:
        now = sources(session)
        if not now.items() <= expected.items() or not sources(self.seen.session).keys() <= now.keys():
            self._proofs = Proofs({})
        return self._proofs.receipts

    def _recalled(self) -> Decisions:
        memory = decisions.memory(self.seen.session)
        self.problem = memory.problem
        return decisions.recalled(memory, self.seen.session, self._late())

    def _keep(self, decided: Decisions) -> None:
        decisions.keep(self.seen.session, decided, self._late())

    def _late(self) -> list[Diagnostic]:
        return [entry.diagnostic for entry in self.seen.found if entry.needs]

    def _differs(self, path: Path, raw: bytes) -> bool:
        """Whether the file is another than `raw`; read only where its time or size has changed since it was asked."""
        try:
            status = os.stat(path)
            stamp = (status.st_mtime_ns, status.st_size, hash(raw))
            if path not in self._stamps or self._stamps[path][0] != stamp:
                self._stamps[path] = stamp, files.read_bytes(path) != raw
            return self._stamps[path][1]
        except (OSError, UserError):
            return True

    def _record(self, planned: Plans, places: Mapping[str, Path], proofs: Proofs | None = None) -> None:
        receipts = (proofs or self._proofs).receipts
        recording.keep(planned.planned, receipts, places, self.rerun, self._watcher)

    def _tell(self) -> None:
        self.revision += 1
        for listener in tuple(self._listeners):
            listener()


def _digests(contents: Mapping[str, bytes | None]) -> dict[str, str | None]:
    """The sha256 of each, as `sources` has them."""
    return {path: None if raw is None else hashlib.sha256(raw).hexdigest() for path, raw in contents.items()}


def _is_possible(entry: Candidate) -> bool:
    return entry.impossible is None
