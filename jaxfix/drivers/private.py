"""Files of the user's own, outside of every project, that are trusted: no other user may write them."""

import os
import stat
import sys
from pathlib import Path

from jaxfix.drivers import files


def is_inside(folder: Path, project: Path) -> bool:
    """Whether what is kept for the user lies in a project, which could contain it."""
    return files.resolved(folder).is_relative_to(files.resolved(project))


def doubt(path: Path, most_bytes: int) -> str | None:
    """Why the file is not to be believed, in words; None if it is."""
    try:
        found = path.lstat()
    except OSError as error:
        return f"cannot be read: {(error.strerror or str(error)).lower()}"
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"
    if found.st_size > most_bytes:
        return "far too large"
    if sys.platform == "win32":
        return None  # permission bits say nothing there
    if found.st_uid != os.geteuid():
        return "belongs to another user"
    if found.st_mode & 0o022 or path.parent.stat().st_mode & 0o022:
        return "other users can write it"
    return None
