"""Asks a person about one fix after the other."""

import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from jaxfix import docs
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.prompt import editor, view
from jaxfix.drivers.cli.prompt.confirm_write import Answer, Confirmation
from jaxfix.drivers.cli.prompt.cursor import Cursor, is_refuted
from jaxfix.drivers.cli.prompt.prover import Prover
from jaxfix.drivers.workflow import accounting, decisions
from jaxfix.drivers.workflow.candidates import Candidate, Shown, alone, candidates, informed
from jaxfix.drivers.workflow.decisions import Choice, Decisions, Name
from jaxfix.drivers.workflow.planning import Planned, Plans, Receipts, Taken, by_mode
from jaxfix.drivers.workflow.salvaging import standing
from jaxfix.drivers.workflow.session import Session
from jaxfix.drivers.workflow.targets import Target
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.render import diff
from jaxfix.render.paint import Paint, counted
from jaxfix.report.report import Diagnostic
from jaxfix.source.edits import Edit
from jaxfix.source.errors import BugError, JaxfixError, SourceError, UserError
from jaxfix.source.frozen import frozen


@frozen
class Reviewed:
    """What a person has decided, and what is to be written of it.

    Attributes:
      proofs: what reruns have shown of the fixes that are taken unchanged.
      late: the findings that only other fixes make possible.
    """

    decisions: Decisions
    plans: Plans
    proofs: Proofs
    late: tuple[Diagnostic, ...]


@dataclass(slots=True)
class Loop:
    """Goes through the fixes of a session."""

    session: Session
    prover: Prover
    proofs: Proofs
    cursor: Cursor = field(default_factory=lambda: Cursor((), Decisions()))
    late: tuple[Diagnostic, ...] = ()
    is_saved: bool = True
    _targets: dict[str, Target] = field(default_factory=dict)
    _shown: Shown = field(default_factory=Shown)
    _taken_before: frozenset[Name] = frozenset()

    def begin(self) -> None:
        """Finds out what there is to ask."""
        outcome.tell_errors(self.proofs.errors)
        self._targets = {target.source.path: target for target in self.session.fixable}
        remembered = accounting.remembered(self.session.looked_at.targets)
        self._shown = Shown(self.proofs.receipts, remembered)
        found = self._gathered()
        self.late = tuple(entry.diagnostic for entry in found if entry.needs)
        memory = decisions.memory(self.session)
        if memory.problem is not None:
            terminal.note(memory.problem)
        known = decisions.recalled(memory, self.session, self.late)
        open_ = tuple(entry for entry in found if known.of(entry.name) is not Choice.REFUSED)
        self.cursor = Cursor.started(tuple(entry for entry in open_ if entry.impossible is None), known)
        self._tell_what_is_remembered(len(found) - len(open_))

    def reviewed(self) -> Reviewed | None:
        """Asks until the end; None where nothing is to be written."""
        while True:
            entry = self.cursor.current
            ends = entry is None or not self._asks(entry)
            if ends:
                plans = decisions.planned(self.session.fixable, self.cursor.decisions)
                agreed = self._agrees(plans, asks=entry is None)
                if agreed is not None:
                    return self._result(plans) if agreed else None

    @property
    def standing(self) -> str:
        """What was decided so far, in words."""
        made = self.cursor.decisions
        names = {entry.name for entry in self.cursor.entries}
        taken, refused = (len(made.having(choice) & names) for choice in (Choice.ACCEPTED, Choice.REFUSED))
        return view.progress(taken, refused, len(names) - taken - refused)

    # --- what there is ----------------------------------------------------------------------------------------

    def _gathered(self) -> list[Candidate]:
        found: list[Candidate] = []
        with terminal.progress("making fixes", len(self._targets)) as advance:
            for path, target in self._targets.items():
                with suppress(BugError, SourceError):  # told by the plan of this file
                    found += candidates(target, self._shown, self._unasked)
                advance(path)
        told = {(entry.path, entry.key): entry for entry in self.session.found.diagnostics}  # with what a trace saw
        return [replace(entry, diagnostic=told.get(entry.name, entry.diagnostic)) for entry in found]

    @property
    def _unasked(self) -> Taken:
        return partial(by_mode, self.prover.allowed.mode, self.proofs.receipts)

    def _tell_what_is_remembered(self, left_out: int) -> None:
        if left_out:
            were = "was" if left_out == 1 else "were"
            terminal.note(f"{counted(left_out, 'fix')} {were} refused before, and left out: `--forget` asks again")
        names = {entry.name for entry in self.cursor.entries}
        self._taken_before = self.cursor.decisions.having(Choice.ACCEPTED) & names
        if self._taken_before:
            terminal.note(
                f"{counted(len(self._taken_before), 'fix')} taken before, and not written yet: `b` goes back to them"
            )

    # --- asking -----------------------------------------------------------------------------------------------

    def _asks(self, entry: Candidate) -> bool:
        """Asks about one fix, until it is answered; False to end."""
        self._show(entry)
        keys = self._keys(entry)
        while True:
            key = view.key_of(terminal.reply(view.prompt("take it", keys, view.WORDS, self._paint)), view.WORDS)
            if key == "q":
                return False
            if key not in keys:
                terminal.tell(view.help_for(keys, view.KEYS, self._paint, self._width))
            elif self._acts(key, entry):
                self._save()
                return True

    def _keys(self, entry: Candidate) -> tuple[str, ...]:
        """The answers that there are."""
        without = set()
        if self.prover.obstacle is not None:
            without |= {"p", "P"}
        if entry.needs or self._targets[entry.name.path].source.notebook is not None:
            without.add("e")
        return tuple(key for key, _ in view.KEYS if key not in without)

    def _acts(self, key: str, entry: Candidate) -> bool:
        """Does what is asked for; whether there is something new to show."""
        if key in _LOOKS:
            _LOOKS[key](self, entry)
            return False
        before = self.cursor
        if key not in _TAKING or self._insists(entry):
            _STEPS[key](self, entry)
        return self.cursor is not before

    def _insists(self, entry: Candidate) -> bool:
        """Whether the person takes the fix though a rerun speaks against it."""
        if not is_refuted(entry) or entry.known is None:
            return True
        verdict = entry.known.evidence.verdict.value
        return terminal.agrees(f"a rerun judged this fix {verdict}; accept it anyway?")

    def _takes(self, entry: Candidate) -> None:
        self.cursor = self.cursor.decided([entry.name], Choice.ACCEPTED)

    def _refuses(self, entry: Candidate) -> None:
        self.cursor = self.cursor.decided([entry.name], Choice.REFUSED)

    def _skips(self, entry: Candidate) -> None:
        self.cursor = self.cursor.skipped()

    def _takes_codemod(self, entry: Candidate) -> None:
        names = self.cursor.open_like(
            lambda it: it.diagnostic.id == entry.diagnostic.id and self.cursor.is_for_many(it)
        )
        self._decides(names, Choice.ACCEPTED)

    def _takes_file(self, entry: Candidate) -> None:
        names = self.cursor.open_like(lambda it: it.name.path == entry.name.path and self.cursor.is_for_many(it))
        self._decides(names, Choice.ACCEPTED)

    def _refuses_file(self, entry: Candidate) -> None:
        self._decides(self.cursor.open_like(lambda it: it.name.path == entry.name.path), Choice.REFUSED)

    def _decides(self, names: Sequence[Name], choice: Choice) -> None:
        self.cursor = self.cursor.decided(names, choice)
        word = "taken" if choice is Choice.ACCEPTED else "refused"
        terminal.tell(f"{counted(len(names), 'fix')} {word}; `b` undoes that\n")

    def _goes_back(self, entry: Candidate) -> None:
        before = self.cursor.back()
        if before is None:
            terminal.tell("this is the first one\n")
        else:
            self.cursor = before

    def _explains(self, entry: Candidate) -> None:
        target = self._targets[entry.name.path]
        codemod = next(codemod for codemod in target.codemods if codemod.id == entry.diagnostic.id)
        terminal.tell(f"\n{docs.markdown(codemod, docs.page(codemod))}\n")

    def _shows_evidence(self, entry: Candidate) -> None:
        terminal.tell(view.evidence(entry.known, self._paint, self._width))

    def _helps(self, entry: Candidate) -> None:
        terminal.tell(view.help_for(self._keys(entry), view.KEYS, self._paint, self._width))

    # --- proving ----------------------------------------------------------------------------------------------

    def _proves(self, entry: Candidate) -> None:
        self._prove([entry.name, *(Name(entry.name.path, key) for key in entry.needs)])

    def _proves_all(self, entry: Candidate) -> None:
        made = self.cursor.decisions
        fresh = [it for it in self.cursor.entries if (it.name.path, it.name.key) not in self.proofs.receipts]
        self._prove([it.name for it in fresh if made.of(it.name) is None])

    def _prove(self, names: Sequence[Name]) -> None:
        """Reruns; Ctrl-C ends that alone, and what is known by then stays."""
        if not names or not self.prover.is_allowed():
            return
        heard, found = signal.getsignal(signal.SIGINT), Proofs({})

        def salvage(planned: Sequence[Planned], receipts: Receipts) -> None:
            nonlocal found
            found = Proofs(receipts)
            terminal.note(standing(planned, receipts))

        try:
            found = self.prover.proven(names, [it.diagnostic for it in self.cursor.entries], salvage)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, heard)
            if not found.receipts:
                terminal.note("the proof was stopped without a result")
        except UserError as error:
            outcome.tell_errors([str(error)])
        outcome.tell_errors(found.errors)
        if found.receipts:
            self._knows(found)

    def _knows(self, found: Proofs) -> None:
        """Continues with the results of reruns."""
        self.proofs = self.proofs.with_more(found)
        self._shown = replace(self._shown, receipts=self.proofs.receipts)
        entries = (informed(it, self._targets[it.name.path], self._shown, self._unasked) for it in self.cursor.entries)
        self.cursor = replace(self.cursor, entries=tuple(entries))

    # --- editing ----------------------------------------------------------------------------------------------

    def _edits(self, entry: Candidate) -> None:
        """Opens the fixed file in an editor, until it is Python, and takes it."""
        target = self._targets[entry.name.path]
        draft = alone(target.source, entry.fix, self.cursor.decisions.edited.get(entry.name)).after
        while True:
            try:
                draft = editor.edited(target.source, draft)
                edits = self._own_edits(entry, target, draft)
            except JaxfixError as error:
                outcome.tell_errors([str(error)])
                if not isinstance(error, SourceError) or not terminal.agrees("edit it again?"):
                    return
                continue
            if edits is not None:
                self.cursor = self.cursor.edited(edits)
                terminal.tell("taken as you wrote it; no rerun has checked it\n")
            return

    def _own_edits(self, entry: Candidate, target: Target, raw: bytes) -> tuple[Edit, ...] | None:
        """The person's own version of the fix; None where there is none.

        Raises:
          SourceError: it is not Python, or does not go with what other fixes make of the file.
        """
        if raw == target.source.raw:
            terminal.tell("the fix changes nothing any more: `n` refuses it\n")
            return None
        if raw == entry.patch.after:
            terminal.tell("nothing was changed: `y` takes the fix as it is\n")
            return None
        return decisions.as_written(target, entry.name, self.cursor.decisions, raw).edited[entry.name]

    # --- the end ----------------------------------------------------------------------------------------------

    def _agrees(self, plans: Plans, *, asks: bool) -> bool | None:
        """Whether to write; None where the person went back."""
        said = Confirmation(plans, self.cursor, self.standing, self._taken_before).answer(asks=asks)
        if said is Answer.BACK:
            self.cursor = self.cursor.back() or self.cursor
            self._save()
            return None
        return said is Answer.WRITE

    def _result(self, plans: Plans) -> Reviewed:
        made = self.cursor.decisions
        taken = {(entry.patch.path, fix.key) for entry in plans.planned for fix in entry.patch.applied}
        receipts = {
            key: evidence
            for key, evidence in self.proofs.receipts.items()
            if key in taken and Name(*key) not in made.edited
        }
        return Reviewed(made, plans, Proofs(receipts, errors=self.proofs.errors), self.late)

    # --- the terminal -----------------------------------------------------------------------------------------

    def _show(self, entry: Candidate) -> None:
        source = self._targets[entry.name.path].source
        own = self.cursor.decisions.edited.get(entry.name)
        patch = entry.patch if own is None else alone(source, entry.fix, own)
        hunk = diff.hunks(patch, source.encoding, self._paint)
        place = (self.cursor.at + 1, len(self.cursor.entries))
        terminal.tell(view.question(entry, place, hunk, self._paint, self._width, is_own=own is not None))

    def _save(self) -> None:
        """Remembers every answer at once, so that nothing is lost whatever ends this."""
        if not self.is_saved:
            return
        try:
            decisions.keep(self.session, self.cursor.decisions, self.late)
        except UserError as error:
            self.is_saved = False
            terminal.note(f"the answers are not remembered: {error}")

    @property
    def _paint(self) -> Paint:
        return terminal.paint_for(sys.stderr)

    @property
    def _width(self) -> int | None:
        return terminal.width_of(sys.stderr)


_STEPS: Mapping[str, Callable[[Loop, Candidate], None]] = {
    "y": Loop._takes,
    "n": Loop._refuses,
    "j": Loop._skips,
    "a": Loop._takes_codemod,
    "f": Loop._takes_file,
    "d": Loop._refuses_file,
    "p": Loop._proves,
    "P": Loop._proves_all,
    "e": Loop._edits,
    "b": Loop._goes_back,
}
"""What may lead to another question, or to the same one with more to show."""
_TAKING = ("y", "a", "f")
_LOOKS: Mapping[str, Callable[[Loop, Candidate], None]] = {
    "x": Loop._explains,
    "v": Loop._shows_evidence,
    "?": Loop._helps,
}
