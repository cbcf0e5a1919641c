"""Running the user's code needs a yes: on the command line, or at the prompt of a terminal."""

from dataclasses import dataclass
from enum import Enum

from jaxfix.core.errors import ConfigError
from jaxfix.drivers.cli import terminal
from jaxfix.render.paint import counted


class Mode(Enum):
    """What decides which fixes are written."""

    SAFE_ONLY = "safe only"
    RERUN = "what is safe and what a rerun proves"
    EVERYTHING = "everything that is found"


@dataclass(frozen=True, slots=True)
class Wish:
    """The options of `apply` that speak of running."""

    prove: bool = False
    run: str | None = None
    no_prove: bool = False
    unproven: bool = False


@dataclass(frozen=True, slots=True)
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


def consent(wish: Wish, configured: str | None, waiting: int, offered: str | None) -> Consent:
    """What the options allow; where they say nothing, `waiting` fixes need evidence and a person is there, asks.

    Args:
      configured: the program of the configuration; it is never run unasked.
      offered: what would run, and where, in words; None if there is nothing to run.
    """
    if wish.unproven:
        return Consent(Mode.EVERYTHING)
    if wish.prove or wish.run is not None:
        return Consent(Mode.RERUN, wish.run or configured)
    if wish.no_prove or not waiting or offered is None or not terminal.is_attended():
        return Consent(Mode.SAFE_ONLY)
    waits = f"{counted(waiting, 'fix')} {'waits' if waiting == 1 else 'wait'} for evidence"
    if terminal.agrees(f"{waits}: {offered}?"):
        return Consent(Mode.RERUN, configured)
    return Consent(Mode.SAFE_ONLY)
