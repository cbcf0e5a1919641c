"""What may run for an agent: what a person named at the start or trusts, or agrees to when the client asks."""

from jaxfix.drivers import trust
from jaxfix.drivers.mcp.options import Options
from jaxfix.drivers.workflow import consent
from jaxfix.drivers.workflow.agenda import Agenda, folder_in, root_of
from jaxfix.drivers.workflow.consent import Asker, Consent, Mode
from jaxfix.drivers.workflow.request import Wish
from jaxfix.evidence.target import command_words
from jaxfix.render.paint import printable
from jaxfix.source.errors import EvidenceError

_WAYS = "run `jaxfix trust --run CMD` in a terminal, or start the server with `--run CMD`"


def agenda(command: str) -> Agenda:
    """What would run in the project of the working folder.

    Raises:
      EvidenceError: the command is not a command line.
    """
    command_words(command)
    root = root_of(())
    return Agenda(root, folder_in(root), command, (), (), "")


def is_granted(found: Agenda, options: Options) -> bool:
    """Whether it may run without a question.

    Raises:
      UserError: there is a file that says what is trusted, and it is not to be believed.
    """
    is_named = found.command in options.runs
    wish = Wish(run=found.command) if is_named else Wish(prove=True)
    grant = None if is_named else trust.granted(found.project, found.folder)
    decided = consent.decide(wish, found, grant, 1, Asker.AGENT, attended=False)
    return isinstance(decided, Consent) and decided.mode is Mode.RERUN


def question(found: Agenda, what: str) -> str:
    """What a person is asked: all that a yes would allow.

    Args:
      what: is done with the program, such as `prove a diff`.
    """
    where = f"from `{printable(str(found.folder))}`"
    return f"jaxfix asks to run `{printable(found.command or '')}` {where}, to {what}. Run it?"


def refused(found: Agenda, why: str) -> EvidenceError:
    """The error of a run without consent."""
    return EvidenceError(f"`{printable(found.command or '')}` was not run: {why}", hint=_WAYS)
