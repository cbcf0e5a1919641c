"""Lets a person change a file in their editor."""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.source.errors import UserError
from jaxfix.source.source_file import SourceFile

_TAKES_LINE = ("vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "kak", "joe", "micro", "mg", "ne")
"""Editors that open a file at the line of an argument `+N`."""


def editor() -> str:
    """The command of the editor, as a shell reads it."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    fallback = "notepad" if os.name == "nt" else next((name for name in ("nano", "vi") if shutil.which(name)), "vi")
    return named if named and named.strip() else fallback


def edited(source: SourceFile, draft: bytes) -> bytes:
    """The bytes of the file after its editor was closed, which it opens as `draft`, where that differs.

    Raises:
      UserError: there is no such editor, or it failed.
    """
    command = editor()
    with tempfile.TemporaryDirectory(prefix="jaxfix-") as folder:
        path = Path(folder) / Path(source.path).name
        files.write_bytes(path, draft)
        line = [f"+{_first_change(source.raw, draft)}"] if _takes_line(command) else []
        with _unheard():
            done = subprocess.run(" ".join([command, *line, _quoted(str(path))]), shell=True)  # as git runs it
        if done.returncode:
            raise UserError(
                f"the editor `{command}` ended with {done.returncode}: nothing was changed",
                hint="name another one in `$EDITOR`",
            )
        return files.read_bytes(path)


@contextmanager
def _unheard() -> Iterator[None]:
    """Ctrl-C is for the program that has the terminal."""
    heard = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, heard)


def _first_change(before: bytes, after: bytes) -> int:
    """The first line, from 1, that differs."""
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((number for number, (old, new) in enumerate(pairs, 1) if old != new), 1)


def _takes_line(command: str) -> bool:
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return bool(words) and Path(words[0]).name in _TAKES_LINE


def _quoted(path: str) -> str:
    return f'"{path}"' if os.name == "nt" else shlex.quote(path)
