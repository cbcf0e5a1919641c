"""The next version of a file, complete beside the old one: it takes the place in one step, or is thrown away."""

import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from jaxfix.source.frozen import frozen

TEMPORARY = ".jaxfix-tmp"
_NAME_LIMIT_BYTES = 200
_SECOND_NS = 1_000_000_000


@frozen
class Staged:
    """What is to become of `target`, at `temporary` in the same folder; `mtime_ns` is when it says it was written."""

    target: Path
    temporary: Path
    mtime_ns: int

    def commit(self) -> None:
        os.replace(self.temporary, self.target)

    def discard(self) -> None:
        with suppress(OSError):
            os.unlink(self.temporary)


def stage(target: Path, raw: bytes, mode: int | None = None, not_before_ns: int = 0) -> Staged:
    """Writes `raw` beside `target`, a path without links, with the owner, the permissions and the attributes of it.

    Python and make tell versions of a file by its time, Python by the second: the new one is later, whatever the
    clock says.

    Args:
      mode: permission bits; None keeps those that are there.
      not_before_ns: the time of a file that this one follows.

    Raises:
      OSError: the disk is full, or it is forbidden; nothing is left there.
    """
    old = target.stat() if target.exists() else None
    if old is not None and not (old.st_mode & 0o222 and os.access(target, os.W_OK)):
        raise PermissionError(13, "it is read-only")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=_prefix(target.name), suffix=TEMPORARY)
    except PermissionError as error:
        raise PermissionError(error.errno, "its folder is read-only") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        _adopt(name, target, old, mode)
        earliest = 0 if old is None else (old.st_mtime_ns // _SECOND_NS + 1) * _SECOND_NS
        return Staged(target, Path(name), _dated(name, max(earliest, not_before_ns)))
    except BaseException:
        os.unlink(name)
        raise


def sync(folder: Path) -> None:
    """Makes the names in the folder last, where that is not left to the system."""
    if sys.platform == "win32":
        return  # a folder cannot be opened there
    with suppress(OSError):  # some file systems refuse
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Deletes what a killed run has left of writing the file `name` in the folder, or any file there."""
    start = "." if name is None else _prefix(name)
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.name.startswith(start) and entry.name.endswith(TEMPORARY):
                os.unlink(entry.path)


def _prefix(name: str) -> str:
    """What the temporary file begins with: as much of the name as leaves room for the rest."""
    return f".{os.fsencode(name)[:_NAME_LIMIT_BYTES].decode(errors='ignore')}."


def _adopt(temporary: str, target: Path, old: os.stat_result | None, mode: int | None) -> None:
    """Gives the new file what its place asks for."""
    if old is None:
        os.chmod(temporary, 0o666 & ~_umask() if mode is None else mode)
        return
    _give(temporary, old)
    _copy_attributes(target, temporary)
    os.chmod(temporary, stat.S_IMODE(old.st_mode) if mode is None else mode)


def _give(temporary: str, old: os.stat_result) -> None:
    """Gives the new file to who owns the old one."""
    if sys.platform != "win32" and (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):  # only root may give a file away, and the contents matter more
            os.chown(temporary, old.st_uid, old.st_gid)


def _copy_attributes(target: Path, temporary: str) -> None:
    """Access control lists and labels, as far as the user may set them."""
    if sys.platform == "linux":
        with suppress(OSError):
            for attribute in os.listxattr(target):
                with suppress(OSError):
                    os.setxattr(temporary, attribute, os.getxattr(target, attribute))


def _dated(temporary: str, earliest_ns: int) -> int:
    found = os.stat(temporary)
    if found.st_mtime_ns >= earliest_ns:
        return found.st_mtime_ns
    os.utime(temporary, ns=(found.st_atime_ns, earliest_ns))
    return os.stat(temporary).st_mtime_ns


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
