"""What a command has come to, as an exit code."""

import sys
from collections.abc import Iterable

from jaxfix.drivers.cli import terminal

CLEAN, FINDINGS, USER_ERROR, BUG, INTERRUPTED = 0, 1, 2, 3, 130


def exit_code(*, findings: bool, errors: Iterable[str], bugs: Iterable[str]) -> int:
    """The gravest that applies: a bug in jaxfix, then an error of the user's, then findings."""
    if any(True for _ in bugs):
        return BUG
    if any(True for _ in errors):
        return USER_ERROR
    return FINDINGS if findings else CLEAN


def tell_errors(messages: Iterable[str]) -> None:
    """Names each on stderr."""
    from jaxfix.render import text

    paint = terminal.paint_for(sys.stderr)
    for message in messages:
        terminal.tell(text.error(message, paint))
