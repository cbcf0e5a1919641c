"""Running the user's code needs a yes: on the command line, at the prompt of a terminal, or one that is remembered.

`decide` alone says what may run, for every driver. Nothing in a project can say yes.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from jaxfix.drivers import trust
from jaxfix.drivers.trust import Grant
from jaxfix.drivers.workflow.agenda import Agenda
from jaxfix.drivers.workflow.request import Wish
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.source.errors import ConfigError, UserError
from jaxfix.source.frozen import frozen

_HOOKS = ("PRE_COMMIT", "GIT_INDEX_FILE")
"""Set by pre-commit, and by git for the hooks of a commit."""


class Mode(Enum):
    """What decides which fixes are written."""

    SAFE_ONLY = "safe only"
    RERUN = "what is safe and what a rerun proves"
    EVERYTHING = "everything that is found"


class Asker(Enum):
    """Who started jaxfix: only a command line, typed or in a script, may use remembered trust."""

    COMMAND = "command"
    EDITOR = "editor"
    AGENT = "agent"
    HOOK = "hook"


class Ask(Enum):
    """What `decide` says where neither the options nor trust do: a person is to be asked."""

    PERSON = "person"


@frozen
class Consent:
    """What may be done. `command` is the program to rerun, None for optimizer modules alone."""

    mode: Mode
    command: str | None = None


def check(wish: Wish) -> None:
    """Raises ConfigError where two options contradict each other, or the command is empty."""
    if wish.run is not None and not wish.run.strip():
        raise ConfigError("`--run` is empty", hint='name a program, such as `--run "python train.py"`')
    runs = "--run" if wish.run is not None else "--prove"
    given = (("--no-prove", wish.no_prove), ("--unproven", wish.unproven), (runs, wish.prove or wish.run is not None))
    chosen = [name for name, is_given in given if is_given]
    if len(chosen) > 1:
        raise ConfigError(f"`{chosen[0]}` and `{chosen[1]}` contradict each other")


def decide(
    wish: Wish, agenda: Agenda | None, grant: Grant | None, waiting: int, asker: Asker, *, attended: bool
) -> Consent | Ask:
    """Decides what may run; pure.

    Args:
      agenda: what would run if it may; None if there is nothing.
      grant: what is trusted in that place, if anything is.
      waiting: the fixes that need evidence; with none nothing is rerun unless that is asked for.
      attended: whether a person can be asked.
    """
    trusted = agenda is not None and grant is not None and covers(grant, agenda)
    command = agenda.command if agenda is not None else None
    if wish.unproven:
        return Consent(Mode.EVERYTHING)
    if wish.run is not None:
        return Consent(Mode.RERUN, wish.run)
    if wish.prove and (asker not in (Asker.EDITOR, Asker.AGENT) or trusted):
        return Consent(Mode.RERUN, command)
    if asker is not Asker.COMMAND or wish.no_prove or not waiting or agenda is None or agenda.is_empty:
        return Consent(Mode.SAFE_ONLY)
    if trusted:
        return Consent(Mode.RERUN, command)
    return Ask.PERSON if attended else Consent(Mode.SAFE_ONLY)


def covers(grant: Grant, agenda: Agenda) -> bool:
    """Whether the grant speaks of this place, this very command and all that would be driven."""
    here = (str(agenda.project), str(agenda.folder), agenda.command)
    return (grant.project, grant.folder, grant.command) == here and {str(path) for path in agenda.drives} <= set(
        grant.drives
    )


def with_adopted(agenda: Agenda, grant: Grant | None) -> Agenda:
    """The agenda with the program that the user trusted by `--run`, where the configuration names none."""
    if grant is None or agenda.command is not None or grant.configured:
        return agenda
    return replace(agenda, command=grant.command)


def remembered(agenda: Agenda | None, watcher: Watcher) -> Grant | None:
    """What is trusted where `agenda` would run; a file that is not to be believed is named, and ignored."""
    if agenda is None:
        return None
    try:
        return trust.granted(agenda.project, agenda.folder)
    except UserError as error:
        watcher.note(str(error))
        return None


def asker(environment: Mapping[str, str] = os.environ) -> Asker:
    """Who started this command line."""
    return Asker.HOOK if any(environment.get(name) for name in _HOOKS) else Asker.COMMAND


def is_said(wish: Wish) -> bool:
    """Whether the options leave nothing to ask."""
    return wish.unproven or wish.no_prove or wish.prove or wish.run is not None
