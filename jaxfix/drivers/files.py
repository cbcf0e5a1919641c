"""Finds, reads and writes files; nobody else opens one, but for the shadow copies of the evidence room."""

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pathspec

from jaxfix.core.errors import SourceError, UserError, WriteError

SKIPPED_FOLDERS = frozenset(
    {
        *(".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".jaxfix", ".mypy_cache", ".nox", ".pixi"),
        *(".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", "__pycache__", "build", "dist", "node_modules"),
        *("site-packages", "venv"),
    }
)
TEMPORARY = ".jaxfix-tmp"


@dataclass(frozen=True, slots=True)
class Found:
    """What a walk came upon; `errors` are sentences that name their path."""

    files: tuple[Path, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A file and the bytes that it shall have; `before` are those that it must still have, None for a new file."""

    path: Path
    before: bytes | None
    after: bytes


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
      SourceError: nobody can tell, or it is a link to nothing.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        if path.is_symlink():
            raise SourceError(shown(path), "is a link to nothing") from error
        return False
    except OSError as error:
        raise SourceError(shown(path), f"cannot be read: {_reason(error)}") from error
    return True


def resolved(path: Path) -> Path:
    """Where the file really is, all links followed."""
    return Path(os.path.realpath(path))


def project_root(path: Path) -> Path | None:
    """The nearest folder from `path` upwards that holds a `.git` or a `pyproject.toml`, `.git` first."""
    folders = _upwards(path)
    for marker in (".git", "pyproject.toml"):
        for folder in folders:
            if os.path.exists(folder / marker):
                return folder
    return None


def nearest(path: Path, name: str) -> Iterator[Path]:
    """The files called `name` in the folder of `path` and the folders above it, nearest first."""
    return (folder / name for folder in _upwards(path) if os.path.isfile(folder / name))


def common_folder(paths: Iterable[Path]) -> Path:
    """The deepest folder that holds all of `paths`, links resolved."""
    return Path(os.path.commonpath([os.path.realpath(path.parent) for path in paths]))


def walk(folder: Path) -> Found:
    """The Python files under `folder`, in the order of their paths, each once; `.gitignore` is respected."""
    errors: list[str] = []
    start = folder.absolute()
    above = _ignores_above(start)
    if _ignored(start, "/", above):
        above = []  # who names an ignored folder means what is in it
    files = tuple(sorted(_walk(start, above, errors)))
    return Found(once(files), tuple(errors))


def excluded(path: Path, base: Path, patterns: Sequence[str]) -> bool:
    """Whether `patterns`, as in a `.gitignore` of the folder `base`, ignore the file."""
    if not patterns or base not in resolved(path).parents:
        return False
    return _spec(patterns).match_file(resolved(path).relative_to(base).as_posix())


def once(files: Sequence[Path]) -> tuple[Path, ...]:
    """Each file once, in the same order: of a file and the links to it, the file."""
    real = {os.path.realpath(path) for path in files if not path.is_symlink()}
    seen: set[str] = set()
    kept: list[Path] = []
    for path in files:
        target = os.path.realpath(path)
        if target in seen or (path.is_symlink() and target in real):
            continue
        seen.add(target)
        kept.append(path)
    return tuple(kept)


def read_bytes(path: Path) -> bytes:
    """The bytes of the file.

    Raises:
      SourceError: it cannot be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SourceError(shown(path), "is not a regular file")
        return path.read_bytes()
    except OSError as error:
        raise SourceError(shown(path), f"cannot be read: {_reason(error)}") from error


def write_bytes(path: Path, raw: bytes, mode: int | None = None) -> None:
    """Puts `raw` in the place of the file in one step; a link stays, its target is written.

    Args:
      mode: permission bits; None keeps those of the file that is replaced.

    Raises:
      WriteError: it cannot be written; the file is as it was.
    """
    target = resolved(path)
    try:
        _replace(target, raw, mode)
    except OSError as error:
        raise WriteError(f"{shown(path)}: cannot be written: {_reason(error)}") from error


def write_all(replacements: Sequence[Replacement]) -> None:
    """Writes all of `replacements`, or none.

    Raises:
      WriteError: a file is not what it was when it was read, or cannot be written. What was written before it has
        been put back; the message names what could not be.
    """
    refuse_changed(replacements)
    written: list[Replacement] = []
    for entry in replacements:
        try:
            make_folder(entry.path.parent)
            write_bytes(entry.path, entry.after)
        except WriteError as error:
            stuck = [shown(back.path) for back in reversed(written) if not _put_back(back)]
            if stuck:
                raise WriteError(
                    f"{error.message}; {', '.join(stuck)} had been written and cannot be put back",
                    hint="run `jaxfix undo` when the disk allows it",
                ) from error
            raise WriteError(f"{error.message}; nothing was changed") from error
        written.append(entry)


def refuse_changed(replacements: Iterable[Replacement]) -> None:
    """Raises WriteError if a file is not what it was when it was read."""
    for entry in replacements:
        _check_unchanged(entry)


def remove(path: Path) -> None:
    """Deletes the file, its compiled bytecode, and the folders that it leaves empty."""
    path.unlink()
    cache = path.parent / "__pycache__"
    for stale in cache.glob(f"{path.stem}.*.pyc"):
        stale.unlink()
    if cache.is_dir() and not any(cache.iterdir()):
        cache.rmdir()
    for folder in path.parents:
        if any(folder.iterdir()):
            return
        folder.rmdir()


def move(path: Path, to: Path) -> None:
    """Renames the file.

    Raises:
      WriteError: it cannot be.
    """
    try:
        os.replace(path, to)
    except OSError as error:
        raise WriteError(f"{shown(path)}: cannot be moved to {shown(to.parent)}: {_reason(error)}") from error


def remove_leftovers(path: Path) -> None:
    """Deletes what a killed run has left of writing `path`."""
    for leftover in path.parent.glob(f".{path.name}.*{TEMPORARY}"):
        leftover.unlink(missing_ok=True)


def mode_of(path: Path) -> int:
    """The permission bits of the file."""
    return stat.S_IMODE(path.stat().st_mode)


def make_folder(path: Path) -> None:
    """Makes the folder and those above it.

    Raises:
      WriteError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"{shown(path)}: cannot be made: {_reason(error)}") from error


def _upwards(path: Path) -> tuple[Path, ...]:
    start = resolved(path)
    return (start, *start.parents) if start.is_dir() else tuple(start.parents)


def _spec(patterns: Iterable[str]) -> pathspec.GitIgnoreSpec:
    return pathspec.GitIgnoreSpec.from_lines(patterns)


def _ignores_above(folder: Path) -> list[tuple[Path, pathspec.GitIgnoreSpec]]:
    """The ignore files of the repository that `folder` is in, outermost first, without its own."""
    top = next((above for above in (folder, *folder.parents) if os.path.exists(above / ".git")), None)
    if top is None:
        return []
    found = _ignore_file(top, top / ".git" / "info" / "exclude")
    for above in reversed(folder.parents):
        if above == top or top in above.parents:
            found += _ignore_file(above, above / ".gitignore")
    return found


def _ignore_file(base: Path, path: Path) -> list[tuple[Path, pathspec.GitIgnoreSpec]]:
    try:
        return [(base, _spec(path.read_text(encoding="utf-8", errors="replace").splitlines()))]
    except OSError:
        return []  # there is none, as in most folders


def _walk(folder: Path, specs: list[tuple[Path, pathspec.GitIgnoreSpec]], errors: list[str]) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        errors.append(f"{shown(folder)}: cannot be read: {_reason(error)}")
        return
    specs = [*specs, *_ignore_file(folder, folder / ".gitignore")]
    for entry in entries:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED_FOLDERS and not _is_environment(path) and not _ignored(path, "/", specs):
                yield from _walk(path, specs, errors)
        elif entry.name.endswith(".py") and os.path.isfile(path) and not _ignored(path, "", specs):
            yield path


def _is_environment(folder: Path) -> bool:
    return os.path.exists(folder / "pyvenv.cfg")  # where `Path.exists` raises, it is none


def _ignored(path: Path, suffix: str, specs: list[tuple[Path, pathspec.GitIgnoreSpec]]) -> bool:
    """Whether the last pattern that speaks of `path` ignores it; `suffix` is `/` for a folder."""
    for base, spec in reversed(specs):
        if base not in path.parents:
            continue
        verdict = spec.check_file(path.relative_to(base).as_posix() + suffix).include
        if verdict is not None:
            return verdict
    return False


def _replace(target: Path, raw: bytes, mode: int | None) -> None:
    old = target.stat() if target.exists() else None
    if old is not None and not (old.st_mode & 0o222 and os.access(target, os.W_OK)):
        raise PermissionError(13, "it is read-only")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=TEMPORARY)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        _adopt(temporary, old, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(target.parent)


def _adopt(temporary: str, old: os.stat_result | None, mode: int | None) -> None:
    """Gives the new file the owner and the permissions that its place asks for."""
    if old is not None and hasattr(os, "chown") and (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):  # only root may give a file away, and the contents matter more
            os.chown(temporary, old.st_uid, old.st_gid)
    if mode is None:
        mode = stat.S_IMODE(old.st_mode) if old is not None else 0o666 & ~_umask()
    os.chmod(temporary, mode)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # a folder cannot be opened there
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_unchanged(entry: Replacement) -> None:
    if entry.before is None:
        if entry.path.exists():
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


def _put_back(entry: Replacement) -> bool:
    try:
        if entry.before is None:
            remove(entry.path)
        else:
            write_bytes(entry.path, entry.before)
    except (WriteError, OSError):
        return False
    return True


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
