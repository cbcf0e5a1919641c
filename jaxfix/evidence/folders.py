"""Folders of a proof: deleted when they are done with, or by a later proof where this one is killed."""

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_PREFIX, _HELD = "jaxfix-", ".held"
"""How these folders are named, and the file in each that its process holds as long as it lives."""


def make() -> tuple[Path, Callable[[], None]]:
    """A new folder, and what deletes it."""
    _clear_away()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
    handle = _held(folder)

    def delete() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)

    return folder, delete


def is_full(error: OSError) -> bool:
    """Whether it was raised because no room is left; a copy of a folder says so in words alone."""
    return error.errno in _FULL or any(f"[Errno {number}]" in str(error) for number in _FULL)


@cache
def _clear_away() -> None:
    """Deletes the folders of this user whose process was killed: copies of projects."""
    with suppress(OSError):
        for entry in list(os.scandir(tempfile.gettempdir())):
            is_folder = entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False)
            if is_folder and _is_mine(entry) and _is_left(Path(entry.path)):
                shutil.rmtree(entry.path, ignore_errors=True)


if sys.platform == "win32":

    def _held(folder: Path) -> None:
        return None

    def _is_mine(entry: os.DirEntry[str]) -> bool:
        return False

    def _is_left(folder: Path) -> bool:
        return False
else:
    import fcntl

    def _held(folder: Path) -> int | None:
        """Holds the folder; None where the file system knows no locks."""
        new = folder / f"{_HELD}-new"
        handle = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            os.close(handle)
            return None
        os.rename(new, folder / _HELD)  # from now on nobody else can hold it
        return handle

    def _is_mine(entry: os.DirEntry[str]) -> bool:
        return entry.stat(follow_symlinks=False).st_uid == os.getuid()

    def _is_left(folder: Path) -> bool:
        """Whether no process holds the folder that once did."""
        try:
            handle = os.open(folder / _HELD, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        finally:
            os.close(handle)
        return True
