"""Where a report goes: to stdout, or into a file, at once or not at all."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.cli import terminal
from jaxfix.render.paint import Paint, plain
from jaxfix.source.errors import ConfigError, WriteError


def refuse_unwritable(name: str | None) -> None:
    """Raises WriteError, before anything is analysed, if no file of this name can be written."""
    if name is None:
        return
    path = Path(name)
    if not name or path.is_dir():
        raise WriteError(f"{name or '``'}: a folder, not a file to write")
    if not path.absolute().parent.is_dir():
        raise WriteError(f"{name}: there is no folder to write it into", hint="make it first")
    if path.exists() and not (os.access(path, os.W_OK) and path.stat().st_mode & 0o222):  # root may write anything
        raise WriteError(f"{name}: cannot be written: it is read-only")


def refuse_taken(name: str | None, taken: Iterable[Path], option: str = "--output-file") -> None:
    """Raises ConfigError if the file is one of those that are read: a report is not to take its place."""
    if name is None:
        return
    wanted = files.identity(Path(name))
    if any(files.identity(path) == wanted for path in taken):
        raise ConfigError(f"`{option} {name}` is also an input", hint="name another one")


def paint_for(name: str | None) -> Paint:
    """The colours of the report: none in a file."""
    return terminal.paint_for(sys.stdout) if name is None else plain


def give(name: str | None, document: str) -> None:
    """Writes the report, as `give_bytes`."""
    give_bytes(name, document.encode(errors="surrogateescape"))


def give_bytes(name: str | None, raw: bytes) -> None:
    """Writes to the file, or to stdout.

    Raises:
      WriteError: the file cannot be written; it is as it was.
      UserError: stdout cannot be.
    """
    if name is None:
        terminal.give(raw)
    else:
        files.write_bytes(Path(name), raw)
