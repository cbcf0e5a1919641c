"""One jaxfix at a time: a file that one process holds, and that tells the next how the last one ended."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.source.errors import WriteError

_BUSY = b"busy\n"


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Waits until no other process holds `path`, then holds it; yields whether the last one was killed.

    The system releases it when the process ends, however that happens. Where the file system knows no locks, nobody
    waits.

    Raises:
      WriteError: the file cannot be made.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        raise WriteError(f"{files.shown(path)}: cannot be written: {files.reason(error)}") from error
    try:
        _hold(handle)
        was_killed = bool(os.read(handle, 1))
        _mark(handle, _BUSY)
        yield was_killed
        _mark(handle, b"")
    except WriteError:  # reported: nothing is left behind
        _mark(handle, b"")
        raise
    finally:
        os.close(handle)


def _mark(handle: int, state: bytes) -> None:
    """On a full disk the mark is missing, and nothing could be written either."""
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, state)


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 20  # what is held there cannot be read by others, so not the mark itself

    def _hold(handle: int) -> None:
        while True:
            os.lseek(handle, _FAR, os.SEEK_SET)
            try:
                msvcrt.locking(handle, msvcrt.LK_LOCK, 1)  # gives up after ten seconds
            except OSError:
                continue
            os.lseek(handle, 0, os.SEEK_SET)
            return
else:
    import fcntl

    def _hold(handle: int) -> None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
