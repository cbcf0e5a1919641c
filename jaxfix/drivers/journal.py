"""The journal in `.jaxfix/`: what every file was before jaxfix wrote it, so that it can be put back.

.jaxfix/.gitignore           *
.jaxfix/objects/SHA256       the bytes of a file before an apply
.jaxfix/journal/NNNN.json    one apply, written before the first of its files
.jaxfix/undone/NNNN.json     one that was undone
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from jaxfix.core.codec import from_json, to_json
from jaxfix.core.errors import UserError, WriteError
from jaxfix.drivers import files
from jaxfix.drivers.files import Replacement

FOLDER = ".jaxfix"


@dataclass(frozen=True, slots=True)
class Line:
    """One file of an entry: `path` from the root, with `/`; `before` and `after` are sha256, None for no file."""

    path: str
    before: str | None
    after: str
    mode: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One apply. `when` is UTC, ISO 8601."""

    number: int
    when: str
    command: str
    lines: tuple[Line, ...]


def root_for(paths: Sequence[Path]) -> Path:
    """The folder whose `.jaxfix/` keeps the journal of `paths`: their project's, or the deepest that holds all."""
    common = files.common_folder(paths)
    there = next(folder for folder in (common, *common.parents) if folder.is_dir())
    return files.project_root(there) or there


def root_above(folder: Path) -> Path | None:
    """The nearest folder from `folder` upwards that has a journal."""
    start = folder.absolute()
    return next((above for above in (start, *start.parents) if (above / FOLDER / "journal").is_dir()), None)


def record(root: Path, command: str, replacements: Sequence[Replacement]) -> Entry:
    """Stores what `replacements` are about to change; returns once it is on the disk."""
    for part in ("objects", "journal", "undone"):
        folder(root, part)
    kept = root / FOLDER
    lines = tuple(_line(root, kept, replacement) for replacement in replacements)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    entry = Entry(_last_number(kept) + 1, when, command, lines)
    files.write_bytes(_path(root, "journal", entry), json.dumps(to_json(entry), indent=1).encode())
    return entry


def folder(root: Path, part: str) -> Path:
    """A folder in the `.jaxfix/` of `root`, made where there is none, and hidden from git.

    Raises:
      WriteError: it cannot be made, or a link leads out of the project.
    """
    kept = root / FOLDER
    for place in (kept, kept / part):
        if place.is_symlink():
            raise WriteError(f"{files.shown(place)}: is a link, and nothing is kept behind one", hint="remove it")
    files.make_folder(kept / part)
    if not os.path.lexists(kept / ".gitignore"):
        files.write_bytes(kept / ".gitignore", b"*\n")
    return kept / part


def entries(root: Path) -> tuple[tuple[Entry, bool], ...]:
    """Every apply, the newest first, with whether it was undone."""
    found = [
        (_read(path), state == "undone")
        for state in ("journal", "undone")
        for path in (root / FOLDER / state).glob("*.json")
    ]
    return tuple(sorted(found, key=lambda pair: -pair[0].number))


def undo(root: Path) -> Entry:
    """Puts back, bytes and permissions, what the last apply that was not undone has changed.

    A file that the apply never came to, because it was killed, is fine.

    Raises:
      WriteError: there is no such apply, or a file has changed since it; nothing was written.
    """
    entry = next((entry for entry, undone in entries(root) if not undone), None)
    if entry is None:
        raise WriteError(f"nothing to undo in {files.shown(root)}")
    changed = [files.shown(root / line.path) for line in entry.lines if _digest(root / line.path) not in _ends(line)]
    if changed:
        raise WriteError(
            f"changed since the apply, so left alone with all the rest: {', '.join(changed)}",
            hint=f"the originals are in {files.shown(root / FOLDER / 'objects')}",
        )
    originals = [None if line.before is None else _original(root, line.before) for line in entry.lines]
    for line, original in zip(entry.lines, originals, strict=True):
        _restore(root / line.path, line, original)
    files.move(_path(root, "journal", entry), _path(root, "undone", entry))
    return entry


def _line(root: Path, folder: Path, replacement: Replacement) -> Line:
    path = Path(os.path.relpath(os.path.realpath(replacement.path), os.path.realpath(root))).as_posix()
    after = _sha256(replacement.after)
    if replacement.before is None:
        return Line(path, None, after, 0)
    before = _sha256(replacement.before)
    if not (folder / "objects" / before).exists():
        files.write_bytes(folder / "objects" / before, replacement.before, mode=0o600)  # its file may be private
    return Line(path, before, after, files.mode_of(replacement.path))


def _last_number(folder: Path) -> int:
    return max(
        (int(path.stem) for state in ("journal", "undone") for path in (folder / state).glob("*.json")), default=0
    )


def _path(root: Path, state: str, entry: Entry) -> Path:
    return root / FOLDER / state / f"{entry.number:04}.json"


def _read(path: Path) -> Entry:
    try:
        return from_json(Entry, json.loads(files.read_bytes(path)))
    except ValueError as error:
        raise UserError(f"{files.shown(path)}: not an entry of the journal: {error}") from error


def _ends(line: Line) -> tuple[str | None, str]:
    return line.before, line.after


def _digest(path: Path) -> str | None:
    return _sha256(files.read_bytes(path)) if path.exists() else None


def _original(root: Path, digest: str) -> bytes:
    path = root / FOLDER / "objects" / digest
    raw = files.read_bytes(path)
    if _sha256(raw) != digest:
        raise WriteError(f"{files.shown(path)}: damaged; nothing was written")
    return raw


def _restore(path: Path, line: Line, original: bytes | None) -> None:
    files.remove_leftovers(path)
    if original is None:
        if path.exists():
            files.remove(path)
    elif _digest(path) != line.before or files.mode_of(path) != line.mode:
        files.write_bytes(path, original, line.mode)


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
