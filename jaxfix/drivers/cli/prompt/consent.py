"""Asks the person at the terminal whether their code may be run, and says what trust allows."""

from jaxfix.drivers.cli import terminal
from jaxfix.drivers.trust import Grant
from jaxfix.drivers.workflow.agenda import Agenda
from jaxfix.drivers.workflow.consent import Ask, Asker, Consent, Mode, asker, decide, is_said, remembered, with_adopted
from jaxfix.drivers.workflow.request import Wish
from jaxfix.render.paint import counted, printable


def consent(wish: Wish, agenda: Agenda | None, waiting: int, *, is_asked_later: bool = False) -> Consent:
    """What a command line may do; asks, where that is needed and a person is there, and says what trust allows.

    Args:
      is_asked_later: whether the person is asked once they want something to run; until then nothing does.
    """
    who = asker()
    grant = remembered(agenda, terminal) if waiting and who is Asker.COMMAND and not is_said(wish) else None
    agenda = with_adopted(agenda, grant) if agenda is not None else None
    decided = decide(wish, agenda, grant, waiting, who, attended=terminal.is_attended())
    if agenda is None or agenda.is_empty or is_said(wish):
        return decided if isinstance(decided, Consent) else Consent(Mode.SAFE_ONLY)
    if is_asked_later and (isinstance(decided, Ask) or decided.mode is not Mode.RERUN):
        return Consent(Mode.SAFE_ONLY)
    if isinstance(decided, Ask):
        return _asked(agenda, waiting)
    if decided.mode is Mode.RERUN:
        terminal.note(f"`{agenda.project}` is trusted with the rerun that follows; `jaxfix trust --revoke` ends that")
    elif waiting:
        terminal.note(f"{_waits(waiting)}: `jaxfix trust` lets `jaxfix apply` {agenda.words}{_change(grant)}")
    return decided


def _asked(agenda: Agenda, waiting: int) -> Consent:
    if terminal.agrees(f"{_waits(waiting)}: {agenda.words}?"):
        return Consent(Mode.RERUN, agenda.command)
    return Consent(Mode.SAFE_ONLY)


def _waits(waiting: int) -> str:
    return f"{counted(waiting, 'fix')} {'waits' if waiting == 1 else 'wait'} for evidence"


def _change(grant: Grant | None) -> str:
    """What was trusted instead."""
    if grant is None:
        return ""
    if grant.command is None:
        return "; only driving optimizers is trusted so far, and not these"
    return f"; trusted so far: `{printable(grant.command)}`"
