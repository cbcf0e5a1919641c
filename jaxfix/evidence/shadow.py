"""Copies of a project and of installed packages, in which a patched program runs. The originals are only read."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

LINKED_BYTES = 16 << 20
SKIPPED = {
    ".git",
    ".hg",
    ".svn",
    "__pycache__",
    ".jaxfix",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".tox",
    ".nox",
}


def copy_tree(root: Path, copy: Path, changed: Mapping[Path, bytes | None]) -> None:
    """Copies the project under `root` to `copy`, with the contents of `changed` (by original path) in place.

    What is None there is not in the copy.

    Version control, caches and scratch folders are left out; virtual environments become links, and so do files
    above 16 MiB, which `probe` replaces by copies before a program opens them for writing.
    """
    copy.mkdir(parents=True, exist_ok=True)
    for original in _entries(root, root, excluded=copy):
        place = copy / original.relative_to(root)
        if original.is_symlink():
            _copy_link(original, place, root, copy)
        elif original.is_dir():
            _copy_folder(original, place)
        elif original.stat().st_size > LINKED_BYTES:
            place.symlink_to(original)
        else:
            _copy_file(original, place)
    _write(root, copy, changed)


def digest(root: Path) -> str:
    """Of all that is copied of a folder or a file, or of nothing; of what a copy links to its size and time."""
    found = hashlib.sha256()
    places = _entries(root, root, excluded=Path(os.devnull)) if root.is_dir() else filter(os.path.lexists, [root])
    for original in places:
        state = original.lstat()
        found.update(f"{original.relative_to(root).as_posix()}\0{state.st_mode}\0".encode(errors="surrogateescape"))
        if stat.S_ISLNK(state.st_mode):
            found.update(os.fsencode(os.readlink(original)) + _state(original).encode())
        elif stat.S_ISREG(state.st_mode) and state.st_size > LINKED_BYTES:
            found.update(f"{state.st_size} {state.st_mtime_ns}".encode())
        elif stat.S_ISREG(state.st_mode):
            found.update(_digest_of(original, state.st_size, state.st_mtime_ns))
    return found.hexdigest()


def _state(link: Path) -> str:
    """The size and the time of the file that a link leads to; nothing of a folder."""
    return f"{link.stat().st_size} {link.stat().st_mtime_ns}" if link.is_file() else ""


@lru_cache(maxsize=1 << 16)
def _digest_of(file: Path, size: int, changed_ns: int) -> bytes:
    """Of the contents of a file, which is not read again while its size and its time are the same."""
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").digest()


def copy_package(location: Path, overlay: Path, changed: Mapping[Path, bytes | None]) -> Path:
    """Copies an installed package, or module of one file, into `overlay`; returns the copy.

    There need not be any yet, if `changed` has it.

    Compiled bytecode comes along: it stays valid for files that did not change.
    """
    copy = overlay / location.name
    overlay.mkdir(parents=True, exist_ok=True)
    if location.is_file():
        _copy_file(location, copy)
    elif location.is_dir():
        shutil.copytree(location, copy, symlinks=False)
    _write(location, copy, changed)
    return copy


def is_linked(path: Path, root: Path) -> bool:
    """Whether `path` lies in a part of the tree under `root` that a copy only links to."""
    inside = [parent for parent in path.parents if parent.is_relative_to(root)]
    return any(parent.is_symlink() or is_environment(parent) for parent in inside if parent != root)


def is_environment(folder: Path) -> bool:
    """Whether it holds installed packages, which work only where they were installed."""
    return (folder / "pyvenv.cfg").is_file() or (folder / "conda-meta").is_dir() or folder.name == "node_modules"


def package_of(path: Path) -> Path:
    """The folder of the outermost package that holds `path`, or `path` itself for a module of one file."""
    package = path
    while (package.parent / "__init__.py").is_file():
        package = package.parent
    if package == path and path.parent.name not in ("site-packages", "dist-packages"):
        installed = [parent for parent in path.parents if parent.parent.name in ("site-packages", "dist-packages")]
        return installed[0] if installed else path  # a namespace package
    return package


def _entries(folder: Path, root: Path, excluded: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name in SKIPPED or entry == excluded or excluded.is_relative_to(entry):
            continue
        mode = entry.lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
            continue  # sockets and pipes
        yield entry
        if stat.S_ISDIR(mode) and not is_environment(entry):
            yield from _entries(entry, root, excluded)


def _copy_folder(original: Path, place: Path) -> None:
    if is_environment(original):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(original, target_is_directory=True)
    else:
        place.mkdir(parents=True, exist_ok=True)


def _copy_link(original: Path, place: Path, root: Path, copy: Path) -> None:
    target = Path(os.path.normpath(original.parent / os.readlink(original)))
    if target.is_relative_to(root):
        target = copy / target.relative_to(root)
    place.symlink_to(target, target_is_directory=original.is_dir())


def _copy_file(original: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        _clone(original, place)
    except OSError:
        shutil.copyfile(original, place)
    shutil.copystat(original, place)


def _clone(original: Path, place: Path) -> None:
    """Shares the blocks of the file where the file system can."""
    if not hasattr(os, "copy_file_range"):
        raise OSError("no `copy_file_range` here")
    with open(original, "rb") as source, open(place, "wb") as target:
        left = os.fstat(source.fileno()).st_size
        while left > 0:
            copied = os.copy_file_range(source.fileno(), target.fileno(), left)
            if copied == 0:
                raise OSError("the file shrank")
            left -= copied


def _write(original: Path, copy: Path, changed: Mapping[Path, bytes | None]) -> None:
    for path, content in changed.items():
        place = copy if path == original else copy / path.relative_to(original)
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
        for stale in (place.parent / "__pycache__").glob(f"{place.stem}.*.pyc"):
            stale.unlink()
        if content is None:
            place.unlink(missing_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)  # may be a link
        place.write_bytes(content)
        place.chmod(mode)
