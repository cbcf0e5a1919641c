"""`jaxfix --help`, from a text that is at hand: loading Typer for it would take ten times as long."""

import os
import sys

from jaxfix.drivers.cli.usage import HELP

_COLUMNS = 80
"""Typer writes for this many columns at most; the text is what it writes then."""


def helped(words: list[str]) -> int | None:
    """The exit code, if the words ask for the help of `jaxfix` itself, or say nothing; None leaves them to Typer."""
    if words not in ([], ["--help"], ["-h"]) or _columns() < _COLUMNS:
        return None
    stream = sys.stdout if words else sys.stderr
    if stream is not None:  # closed by the parent process
        try:
            stream.write(HELP)
            stream.flush()
        except BrokenPipeError:  # who reads has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return 0 if words else 2


def _columns() -> int:
    """As `shutil.get_terminal_size`, which would be imported for it."""
    try:
        columns = int(os.environ.get("COLUMNS", "0"))
    except ValueError:
        columns = 0
    if columns > 0:
        return columns
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return _COLUMNS
