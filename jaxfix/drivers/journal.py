"""The journal in `.jaxfix/`: what every file was before jaxfix wrote it, so that it can be put back.

.jaxfix/.gitignore           *
.jaxfix/objects/SHA256       the bytes of a file before an apply
.jaxfix/journal/NNNN.json    one apply, written before the first of its files
.jaxfix/undone/NNNN.json     one that was undone
.jaxfix/decisions.json       what a person has decided of fixes: `jaxfix.drivers.workflow.decisions`
.jaxfix/busy                 held while files are written, by one process at a time; not empty if it was killed

A project may come from a stranger, and its journal with it: an entry speaks of files of the project alone.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from jaxfix.drivers import files, pruning, staging
from jaxfix.drivers.files import Replacement
from jaxfix.drivers.lock import locked
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.errors import UserError, WriteError
from jaxfix.source.frozen import frozen

FOLDER = ".jaxfix"
_PARTS = ("objects", "journal", "undone")


@frozen
class Line:
    """One file of an entry: `path` from the root, with `/`; `before` and `after` are sha256, None for no file."""

    path: str
    before: str | None
    after: str
    mode: int


@frozen
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


def tidy(folder: Path) -> None:
    """Clears away what a killed run has left before it could note anything: there is nothing to undo of it.

    Raises:
      WriteError: the folder that it was in may not be written.
    """
    start = folder.absolute()
    left = next((above for above in (start, *start.parents) if (above / FOLDER / "busy").is_file()), None)
    if left is not None:
        with held(left):
            pass


@contextmanager
def held(root: Path) -> Iterator[None]:
    """Waits for the turn to write in `.jaxfix/`, and clears away the temporary files of a run that was killed.

    Raises:
      WriteError: there is no place for the folder.
    """
    _make(root / FOLDER)
    with locked(root / FOLDER / "busy") as was_killed:
        if was_killed:
            _clear(root)
        yield


def write(root: Path, command: str, replacements: Sequence[Replacement]) -> Entry:
    """Writes all of `replacements`, once the journal has what they replace; returns what the journal says of it.

    Raises:
      WriteError: nothing was written; or it was, and cannot be put back, and the journal keeps it.
    """
    with held(root):
        entry = record(root, command, replacements)
        try:
            files.write_all(replacements)
        except WriteError:
            if all(_is_as_before(root, line) for line in entry.lines):
                files.remove(_path(root, "journal", entry))
            raise
        pruning.prune_journal(root / FOLDER)
        return entry


def record(root: Path, command: str, replacements: Sequence[Replacement]) -> Entry:
    """Stores what `replacements` are about to change; returns once it is on the disk."""
    _prepare(root)
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
    place = home(root) / part
    _make(place)
    return place


def home(root: Path) -> Path:
    """The `.jaxfix/` of `root`, as `folder`."""
    place = root / FOLDER
    _make(place)
    if not os.path.lexists(place / ".gitignore"):
        files.write_bytes(place / ".gitignore", b"*\n")
    return place


def entries(root: Path) -> tuple[tuple[Entry, bool], ...]:
    """Every apply, the newest first, with whether it was undone."""
    found = [
        (_read(path), state == "undone")
        for state in ("journal", "undone")
        for path in (root / FOLDER / state).glob("*.json")
    ]
    return tuple(sorted(found, key=lambda pair: -pair[0].number))


def undo(root: Path, number: int | None = None) -> Entry:
    """Puts back, bytes and permissions, what the last apply that was not undone has changed.

    A file that the apply never came to, because it was killed, is fine.

    Args:
      number: of the apply that is to be undone; whichever is the last if it is None.

    Raises:
      WriteError: there is no such apply, it is not the last, or a file has changed since it; nothing was written.
    """
    with held(root):
        _prepare(root)
        entry = next((entry for entry, undone in entries(root) if not undone), None)
        if entry is None:
            raise WriteError(f"nothing to undo in {files.shown(root)}")
        if number not in (None, entry.number):
            raise WriteError("it is not the last apply here", hint="`jaxfix undo --list` names all")
        now = {line: _digest(root / line.path) for line in entry.lines}
        changed = [line for line in entry.lines if now[line] not in (line.before, line.after)]
        if changed:
            raise WriteError(
                "changed since the apply, so nothing was restored: "
                f"{', '.join(files.shown(root / line.path) for line in changed)}",
                hint=_way_back(root, changed),
            )
        files.write_all([_restored(root, line) for line in entry.lines if not _is_as_before(root, line)])
        files.move(_path(root, "journal", entry), _path(root, "undone", entry))
        pruning.prune_journal(root / FOLDER)
        return entry


def _make(folder: Path) -> None:
    if folder.is_symlink():
        raise WriteError(f"{files.shown(folder)}: is a link: nothing is kept behind links", hint="remove it")
    files.make_folder(folder)


def _prepare(root: Path) -> None:
    for part in _PARTS:
        folder(root, part)


def _line(root: Path, folder: Path, replacement: Replacement) -> Line:
    path = Path(os.path.relpath(os.path.realpath(replacement.path), os.path.realpath(root))).as_posix()
    assert replacement.after is not None  # an apply deletes nothing
    after = _sha256(replacement.after)
    if replacement.before is None:
        return Line(path, None, after, 0)
    before = _sha256(replacement.before)
    if not (folder / "objects" / before).exists():
        files.write_bytes(folder / "objects" / before, replacement.before, mode=0o600)  # its file may be private
    return Line(path, before, after, files.mode_of(replacement.path))


def _last_number(folder: Path) -> int:
    names = (path.stem for state in ("journal", "undone") for path in (folder / state).glob("*.json"))
    return max((int(name) for name in names if name.isdecimal()), default=0)


def _path(root: Path, state: str, entry: Entry) -> Path:
    return root / FOLDER / state / f"{entry.number:04}.json"


def _read(path: Path) -> Entry:
    try:
        entry = from_json(Entry, json.loads(files.read_bytes(path)))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{files.shown(path)}: not an entry of the journal", hint="delete it") from error
    root = files.resolved(path.parents[2])
    for line in entry.lines:
        if not _is_of_the_project(root, line.path):
            raise UserError(
                f"{files.shown(path)}: names `{line.path}`, which is not a file of the project: nothing was written",
                hint="delete the entry if it is not yours",
            )
    return entry


def _is_of_the_project(root: Path, path: str) -> bool:
    """Whether an apply can have written there: no link leads away, and version control keeps nothing of its own there.

    `root` has no links.
    """
    real = files.resolved(root / path)
    if not real.is_relative_to(root) or real != root / path:
        return False
    return not {part.casefold() for part in real.relative_to(root).parts} & {".git", ".hg", ".svn", FOLDER}


def _digest(path: Path) -> str | None:
    return _sha256(files.read_bytes(path)) if path.exists() else None


def _original(root: Path, digest: str) -> bytes:
    path = root / FOLDER / "objects" / digest
    try:
        raw = files.read_bytes(path)
    except UserError as error:
        raise WriteError(f"{error.message}; nothing was written") from error
    if _sha256(raw) != digest:
        raise WriteError(f"{files.shown(path)}: damaged; nothing was written")
    return raw


def _way_back(root: Path, changed: Sequence[Line]) -> str:
    kept = [line for line in changed if line.before is not None]
    if len(kept) != 1:
        return f"the originals are in {files.shown(root / FOLDER / 'objects')}"
    return f"its original is {files.shown(root / FOLDER / 'objects' / str(kept[0].before))}"


def _is_as_before(root: Path, line: Line) -> bool:
    path = root / line.path
    return _digest(path) == line.before and (line.before is None or files.mode_of(path) == line.mode)


def _restored(root: Path, line: Line) -> Replacement:
    path = root / line.path
    original = None if line.before is None else _original(root, line.before)
    return Replacement(path, files.read_bytes(path), original, line.mode & 0o777)


def _clear(root: Path) -> None:
    """Deletes the temporary files of a killed run: those of the journal, and those beside the files to write."""
    for place in (root / FOLDER, *(root / FOLDER / part for part in (*_PARTS, "receipts"))):
        staging.remove_leftovers(place)
    for entry, _ in entries(root)[:1]:
        for line in entry.lines:
            path = files.resolved(root / line.path)
            staging.remove_leftovers(path.parent, path.name)


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
