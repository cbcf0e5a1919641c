"""`jaxfix apply --interactive`: fix by fix, as `git add -p` goes from hunk to hunk."""

from collections.abc import Container
from dataclasses import replace

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.cli.prompt.loop import Loop, Reviewed
from jaxfix.drivers.cli.prompt.prover import Prover
from jaxfix.drivers.workflow import decisions
from jaxfix.drivers.workflow.decisions import Choice
from jaxfix.drivers.workflow.session import Session
from jaxfix.drivers.workflow.trying import Proofs
from jaxfix.render.paint import counted
from jaxfix.source.errors import UserError


def review(session: Session, prover: Prover, proofs: Proofs, *, forgets: bool) -> Reviewed | None:
    """Asks about every fix that nothing is remembered of; None where the person wants nothing written.

    Raises:
      KeyboardInterrupt: the person ended it; the answers are remembered.
    """
    if forgets:
        dropped = decisions.forget(session)
        terminal.note(f"{counted(dropped, 'answer')} forgotten")
    if proofs.receipts:
        prover.keep(session.candidates().planned, proofs.receipts)
    asked = Loop(session, prover, proofs)
    asked.begin()
    try:
        return asked.reviewed()
    except KeyboardInterrupt:
        if asked.is_saved and asked.cursor.decisions.choices:
            terminal.note(f"{asked.standing}; stored: `jaxfix apply --interactive` continues from there")
        raise


def settle(session: Session, reviewed: Reviewed, written: Container[str]) -> None:
    """Remembers what was refused; what was taken and is `written` is asked about again should it come back.

    Args:
      written: the paths of the sources that were.
    """
    made = reviewed.decisions
    done = [name for name in made.having(Choice.ACCEPTED) if name.path in written]
    edited = {name: edits for name, edits in made.edited.items() if name not in done}
    try:
        decisions.keep(session, replace(made.with_choice(done, None), edited=edited), reviewed.late)
    except UserError as error:
        terminal.note(f"refused fixes could not be stored: {error}")
