"""Reruns fixes when a person asks for that."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.workflow import decisions, recording
from jaxfix.drivers.workflow.agenda import Agenda
from jaxfix.drivers.workflow.consent import Asker, Consent, Mode, asker
from jaxfix.drivers.workflow.decisions import Choice, Decisions, Name
from jaxfix.drivers.workflow.planning import Planned, Receipts
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.session import Salvage, Session, tried
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.report.report import Diagnostic
from jaxfix.source.errors import UserError


@dataclass(slots=True)
class Prover:
    """Reruns when that is asked for, after a yes where there is none yet.

    Attributes:
      rerun: how, by the program.
      is_forbidden: whether the command line says that nothing is to run.
      failures: what could not be rerun, in words.
    """

    session: Session
    agenda: Agenda | None
    allowed: Consent
    rerun: Callable[[str | None], Rerun]
    is_forbidden: bool
    failures: list[str] = field(default_factory=list)

    @property
    def obstacle(self) -> str | None:
        """Why nothing can be rerun; None if something can."""
        if self.allowed.mode is Mode.RERUN:
            return None
        if self.is_forbidden:
            return "`--no-prove` forbids any run"
        if self.agenda is None or self.agenda.is_empty:
            return "there is no program to rerun: name one with `--run`"
        return None if asker() is Asker.COMMAND else "nothing is run from a hook"

    def is_allowed(self) -> bool:
        """Whether something may run; asks, once."""
        if self.allowed.mode is not Mode.RERUN and self.agenda is not None:
            if not terminal.agrees(f"{self.agenda.words}?"):
                return False
            self.allowed = Consent(Mode.RERUN, self.agenda.command)
        return True

    def proven(self, names: Collection[Name], found: Iterable[Diagnostic], salvage: Salvage) -> Proofs:
        """The results of reruns with and without these fixes, some of those of `found`; stored at once.

        Args:
          salvage: told what is known and kept by then, where something ends the reruns before their end.

        Raises:
          EvidenceError: the program cannot be run, or not be watched.
        """
        wanted = decisions.planned(self.session.fixable, Decisions(dict.fromkeys(names, Choice.ACCEPTED))).changed

        def keep(planned: Sequence[Planned], receipts: Receipts) -> None:
            self.keep(planned, receipts)
            salvage(planned, receipts)

        try:
            proofs = tried(wanted, found, self.rerun(self.allowed.command), terminal, keep)
        except UserError as error:
            self.failures.append(str(error))
            raise
        self.failures += proofs.errors
        self.keep(wanted, proofs.receipts)
        return proofs

    def keep(self, planned: Sequence[Planned], receipts: Receipts) -> None:
        """Keeps what reruns have shown, whatever becomes of the review."""
        recording.keep(planned, receipts, {}, self.rerun(self.allowed.command), terminal)
