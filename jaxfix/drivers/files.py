"""Reads and writes files; no other module opens one, except the shadow copies of the evidence room."""

import io
import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from jaxfix.drivers import staging
from jaxfix.drivers.staging import Staged
from jaxfix.source.errors import SourceError, UserError, WriteError
from jaxfix.source.frozen import frozen


@frozen
class Replacement:
    """A file and what is to become of it.

    Attributes:
      before: the bytes that it must still have; None for a new file.
      after: those that it shall have; None to delete it.
      mode: the permission bits that it shall have; None keeps them.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    mode: int | None = None


@frozen
class _Written:
    """A file that has been written, and the permission bits that it had."""

    entry: Replacement
    mode: int | None


def shown(path: Path) -> str:
    """The path as people read it and terminals open it: from where jaxfix runs, or absolute if that is shorter."""
    near, far = relative(path), Path(os.path.abspath(path)).as_posix()
    return far if near.startswith("../") and len(far) < len(near) else near


def relative(path: str | Path) -> str:
    """The path from where jaxfix runs, with `/`."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:  # another drive than the working folder's
        return Path(path).as_posix()


def stands(path: Path) -> bool:
    """Whether there is a file or folder at `path`.

    Raises:
      SourceError: that is unknown, or it is a link to nothing.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        if path.is_symlink():
            raise SourceError(shown(path), "is a link to nothing") from error
        return False
    except OSError as error:
        raise SourceError(shown(path), f"cannot be read: {reason(error)}") from error
    return True


def resolved(path: Path) -> Path:
    """Where the file really is, all links followed."""
    return Path(os.path.realpath(path))


def project_root(path: Path) -> Path | None:
    """The nearest folder from `path` upwards that holds a `.git`; else a `pyproject.toml`, else a `setup.py`."""
    folders = [(folder, str(folder)) for folder in _upwards(path)]
    for marker in (".git", "pyproject.toml", "setup.py", "setup.cfg"):
        for folder, name in folders:
            if os.path.exists(f"{name}{os.sep}{marker}"):
                return folder
    return None


def nearest(path: Path, name: str) -> Iterator[Path]:
    """The files called `name` in the folder of `path` and the folders above it, nearest first."""
    return (folder / name for folder in _upwards(path) if os.path.isfile(folder / name))


def identity(path: Path) -> object:
    """Equal for two spellings of one file, also where the system does not care for the case of names."""
    real = resolved(path)
    try:
        found = real.stat()
    except OSError:  # reported by the reader
        return real
    return found.st_dev, found.st_ino, unicodedata.normalize("NFC", str(real)).casefold()


def common_folder(paths: Iterable[Path]) -> Path:
    """The deepest folder that holds all of `paths`, links resolved.

    Raises:
      UserError: there is none.
    """
    folders = sorted({os.path.realpath(path.parent) for path in paths})
    try:
        return Path(os.path.commonpath(folders))
    except ValueError as error:
        raise UserError(
            f"{folders[0]} and {folders[-1]} are on different drives", hint="analyse them in separate runs"
        ) from error


def read_bytes(path: Path) -> bytes:
    """The bytes of the file.

    Raises:
      SourceError: it cannot be read.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SourceError(shown(path), "is not a regular file")
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError as error:
        raise SourceError(shown(path), f"cannot be read: {reason(error)}") from error


def write_bytes(path: Path, raw: bytes, mode: int | None = None) -> None:
    """Puts `raw` in the place of the file in one step; a link stays, its target is written; a pipe or device takes it.

    Args:
      mode: permission bits; None keeps those of the file that is replaced.

    Raises:
      WriteError: it cannot be written; the file is as it was.
    """
    if _is_stream(path):
        _send(path, raw)
        return
    _put(path, _stage(path, raw, mode))
    staging.sync(resolved(path).parent)


def write_all(replacements: Sequence[Replacement]) -> None:
    """Writes all of `replacements`, or none.

    All are complete on the disk before the first takes its place. What is new comes first, what is deleted last, so
    that at no time a file imports what is not there; between them the order in which the files were written is kept.

    Raises:
      WriteError: a file is not what it was when it was read, or cannot be written. What was written before it has
        been put back; the message names what could not be.
    """
    refuse_changed(replacements)
    staged: list[tuple[Replacement, Staged | None]] = []
    written: list[_Written] = []
    try:
        for entry in sorted(replacements, key=_turn):
            staged.append((entry, _staged(entry, staged)))
        for entry, new in staged:
            _check_unchanged(entry)
            old = mode_of(entry.path) if entry.before is not None else None
            _put(entry.path, new)
            written.append(_Written(entry, old))
    except BaseException as error:
        for _, new in staged[len(written) :]:
            if new is not None:
                new.discard()
        if not isinstance(error, UserError):
            raise
        stuck = [shown(back.entry.path) for back in reversed(written) if not _put_back(back)]
        for entry in replacements:
            if entry.before is None:
                _remove_empty(entry.path.parent)
        raise _told(error, stuck) from error
    for folder in dict.fromkeys(resolved(back.entry.path).parent for back in written if back.entry.after is not None):
        staging.sync(folder)


def refuse_changed(replacements: Iterable[Replacement]) -> None:
    """Raises WriteError if a file is not what it was when it was read."""
    for entry in replacements:
        _check_unchanged(entry)


def refuse_read_only(paths: Iterable[Path]) -> None:
    """Raises WriteError if one of these files, or its folder, is read-only, even where the user may write anything."""
    for path in paths:
        real = resolved(path)
        what = "its folder" if not os.access(real.parent, os.W_OK) else "it"
        if what != "it" or not (os.access(real, os.W_OK) and real.stat().st_mode & 0o222):
            raise WriteError(f"{shown(path)}: cannot be written: {what} is read-only", hint="`--diff` shows the fixes")


def remove(path: Path) -> None:
    """Deletes the file, its compiled bytecode, and the folders that it leaves empty.

    Raises:
      WriteError: it cannot be deleted.
    """
    try:
        path.unlink()
    except OSError as error:
        raise WriteError(f"{shown(path)}: cannot be deleted: {reason(error)}") from error
    with suppress(OSError):
        for stale in list(os.scandir(path.parent / "__pycache__")):
            if stale.name.startswith(f"{path.stem}.") and stale.name.endswith(".pyc"):
                os.unlink(stale.path)
        os.rmdir(path.parent / "__pycache__")
    _remove_empty(path.parent)


def move(path: Path, to: Path) -> None:
    """Renames the file.

    Raises:
      WriteError: it cannot be.
    """
    try:
        os.replace(path, to)
    except OSError as error:
        raise WriteError(f"{shown(path)}: cannot be moved to {shown(to.parent)}: {reason(error)}") from error


def mode_of(path: Path) -> int:
    """The permission bits of the file.

    Raises:
      SourceError: it is gone.
    """
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        raise SourceError(shown(path), f"cannot be read: {reason(error)}") from error


def make_folder(path: Path) -> None:
    """Makes the folder and those above it.

    Raises:
      WriteError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"{shown(path)}: cannot be created: {reason(error)}") from error


def unpack(raw: bytes, folder: Path) -> None:
    """Writes the files of an archive of tar into a folder that is there.

    Raises:
      WriteError: they cannot be written.
    """
    import tarfile  # few commands need one

    try:
        with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
            archive.extractall(folder, filter="data")
    except (OSError, tarfile.TarError) as error:
        said = reason(error) if isinstance(error, OSError) else str(error)
        raise WriteError(f"{shown(folder)}: cannot be unpacked: {said}") from error


def reason(error: OSError) -> str:
    """Why the system refused, in its words."""
    return (error.strerror or str(error)).lower()


def _upwards(path: Path) -> tuple[Path, ...]:
    start = resolved(path)
    return (start, *start.parents) if start.is_dir() else tuple(start.parents)


def _turn(entry: Replacement) -> tuple[bool, int]:
    """When the file is written: as late as it was written before."""
    try:
        return entry.after is None, 0 if entry.before is None else entry.path.stat().st_mtime_ns
    except OSError:  # gone this very moment: told when its turn comes
        return entry.after is None, 0


def _staged(entry: Replacement, earlier: Sequence[tuple[Replacement, Staged | None]]) -> Staged | None:
    if entry.after is None:
        return None
    make_folder(entry.path.parent)
    last = earlier[-1][1] if earlier else None
    return _stage(entry.path, entry.after, entry.mode, last.mtime_ns if last is not None else 0)


def _stage(path: Path, raw: bytes, mode: int | None, not_before_ns: int = 0) -> Staged:
    try:
        return staging.stage(resolved(path), raw, mode, not_before_ns)
    except OSError as error:
        raise WriteError(f"{shown(path)}: cannot be written: {reason(error)}") from error


def _is_stream(path: Path) -> bool:
    """Whether it is a pipe or a device, such as `/dev/null`, which nothing is to take the place of."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _send(path: Path, raw: bytes) -> None:
    try:
        with open(path, "wb") as stream:
            stream.write(raw)
    except OSError as error:
        raise WriteError(f"{shown(path)}: cannot be written: {reason(error)}") from error


def _put(path: Path, new: Staged | None) -> None:
    """Lets the new file take the place of the old one, or deletes that."""
    if new is None:
        remove(path)
        return
    try:
        new.commit()
    except OSError as error:
        new.discard()
        raise WriteError(f"{shown(path)}: cannot be written: {reason(error)}") from error


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # the first that holds something, or may not be removed
        for empty in (folder, *folder.parents):
            empty.rmdir()


def _told(error: UserError, stuck: Sequence[str]) -> WriteError:
    if not stuck:
        is_said = error.message.endswith("nothing was changed")
        return WriteError(error.message if is_said else f"{error.message}; nothing was changed", hint=error.hint)
    return WriteError(
        f"{error.message.removesuffix('; nothing was changed')}; {', '.join(stuck)} had been written and cannot be put "
        "back",
        hint="run `jaxfix undo` when the disk allows it",
    )


def _check_unchanged(entry: Replacement) -> None:
    if entry.before is None:
        if os.path.lexists(entry.path):
            raise WriteError(f"{shown(entry.path)}: exists already; nothing was changed")
        return
    try:
        now = read_bytes(entry.path)
    except UserError as error:
        raise WriteError(f"{error.message}; nothing was changed") from error
    if now != entry.before:
        raise WriteError(
            f"{shown(entry.path)}: has changed since jaxfix read it; nothing was changed", hint="run jaxfix again"
        )


def _put_back(back: _Written) -> bool:
    try:
        if back.entry.before is None:
            remove(back.entry.path)
        else:
            write_bytes(back.entry.path, back.entry.before, back.mode)
    except WriteError:
        return False
    return True
