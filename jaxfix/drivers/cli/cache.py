"""What was found before, kept in the user's own cache folder: no file is analysed twice for which nothing is new.

check/SHA256.sqlite      the records of the files that one jaxfix has analysed from one working folder

A row counts if it is that of the same text, under the same name, for the same codemods, and is as it was written; the
survey then asks whether the answers that its file got still hold. What is kept is an answer, never a program:
whatever cannot be read is skipped, and made again.
"""

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from jaxfix import __version__
from jaxfix.drivers import files
from jaxfix.drivers.workflow.targets import Targets
from jaxfix.engine.memory import Forgetful, Memory, Shared
from jaxfix.engine.records import as_text, of_text
from jaxfix.engine.unit import Recalled, Record, Unit, former
from jaxfix.semantic.codemod import Codemod
from jaxfix.source.errors import WriteError
from jaxfix.source.frozen import frozen

if TYPE_CHECKING:
    from sqlite3 import Connection, Cursor

T = TypeVar("T")

_KEPT = 50
"""Working folders, each with one jaxfix; the oldest make room."""
_FORGOTTEN_S = 30 * 24 * 3600
"""A file that was not analysed for so long is forgotten."""
_TOUCHED_S = 24 * 3600
_LARGEST = 20_000_000
"""Characters of one record: no file has so much to tell."""
_WAIT_S = 2.0
_AT_ONCE = 500
_NOT_LOOKING = frozenset({"drivers", "evidence", "render", "rewrite", "__pycache__"})
"""Rows that one question asks for: of old, SQLite takes no more than 999."""
_TABLES = """
CREATE TABLE IF NOT EXISTS records
(place BLOB PRIMARY KEY, text BLOB, packages BLOB, record TEXT, proof BLOB, used INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS packages (digest BLOB PRIMARY KEY, names TEXT) WITHOUT ROWID;
"""


@frozen
class _Row:
    """The cache entry of one file.

    Attributes:
      place: a digest of what names it, and of the codemods.
      text: a digest of the file.
      packages: a digest of the names of the packages around it.
    """

    place: bytes
    text: bytes
    packages: bytes
    record: str

    @property
    def proof(self) -> bytes:
        """The result stored in the columns, if nothing has changed."""
        return _digest(self.place, self.text, self.packages, self.record.encode())


@contextmanager
def memory(codemods: Iterable[Codemod]) -> Iterator[Memory]:
    """What was found from the working folder before; nothing where there is no place for it."""
    path = _place(codemods)
    kept = None
    if path is not None:
        with suppress(ImportError):  # a Python that was built without SQLite
            kept = Kept.opened(path)
    if kept is None:
        yield Forgetful()
        return
    with closing(kept):
        yield kept


def memory_of(looked_at: Targets) -> AbstractContextManager[Memory]:
    """As `memory`, for the codemods that look at these."""
    return memory({codemod.id: codemod for target in looked_at.targets for codemod in target.codemods}.values())


class Kept:
    """The records in one file. Where that is damaged, it is as if nothing had been kept, and the file is deleted."""

    def __init__(self, path: Path, connection: "Connection") -> None:
        self._path, self._connection = path, connection
        self._former: dict[bytes, frozenset[str]] = {}
        self._states: dict[bytes, bytes] = {}
        self._before: list[tuple[Record, int] | None] = []
        self._is_old = False

    @classmethod
    def opened(cls, path: Path) -> "Kept | None":
        """The records in the file, which is made if there is none; None where that cannot be done."""
        import sqlite3  # most commands need none

        for _ in range(2):
            try:
                files.make_folder(path.parent)
                os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
                connection = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
            except (OSError, WriteError, sqlite3.Error):
                return None
            kept = cls(path, connection)
            if kept._do(kept._begin) is not None:
                return kept
            kept.close()
        return None

    def close(self) -> None:
        self._connection.close()

    def recall(self, units: Sequence[Unit], packages: frozenset[str]) -> list[Recalled]:
        """What is known of each unit, all of it if its text, its surroundings and its codemods are the same.

        Other packages than before are no other surroundings for a file that does not mention them.
        """
        self._former = self._do(self._packages) or {}
        self._states, shared = {}, Shared()
        found: list[Recalled] = []
        for start in range(0, len(units), _AT_ONCE):
            some = units[start : start + _AT_ONCE]
            rows = self._do(partial(self._read, [_named(unit) for unit in some])) or {}
            known = (self._recalled(unit, rows.get(_named(unit)), packages) for unit in some)
            found += [shared.record(each) if isinstance(each, Record) else each for each in known]
        self._before = [(each, len(each.uses)) if isinstance(each, Record) else None for each in found]
        return found

    def _recalled(self, unit: Unit, row: _Row | None, packages: frozenset[str]) -> Recalled:
        if row is None:
            return None
        try:
            record = of_text(row.record)
        except ValueError:
            return None
        is_same = row.text == unit.source.digest
        if not is_same or not _fits(unit, self._former.get(row.packages), packages):
            return former(record)
        self._states[row.place] = row.packages
        return record

    def keep(self, units: Sequence[Unit], packages: frozenset[str], records: Sequence[Record | None]) -> None:
        """Takes down what is new; what cannot be kept, an error or a bug, is analysed again each time."""
        around = _of_packages(packages)
        new = []
        for index, (unit, record, before) in enumerate(zip(units, records, self._before, strict=True)):
            if record is not None and record.look.error is None and not record.look.bugs:
                is_same = before is not None and _adds_nothing(record, *before)
                if not is_same or self._states.get(_named(unit)) != around:
                    new.append((units[index], record))
        if new or self._is_old:
            rows = (_Row(_named(unit), unit.source.digest, around, as_text(record)) for unit, record in new)
            self._do(partial(self._write, rows, around, packages))
            with suppress(OSError):
                _prune(self._path.parent)

    def _begin(self) -> "Cursor":
        return self._connection.executescript(f"PRAGMA synchronous = OFF; {_TABLES}")

    def _read(self, places: Sequence[bytes]) -> dict[bytes, _Row]:
        found = {}
        old = time.time() - _TOUCHED_S
        marks = ",".join("?" * len(places))
        for *columns, proof, used in self._connection.execute(
            "SELECT place, text, packages, record, proof, used FROM records"
            f" WHERE place IN ({marks}) AND length(record) < {_LARGEST}",
            places,
        ):
            with suppress(TypeError, AttributeError, UnicodeError):  # not as it was written
                row = _Row(*columns)
                if row.proof == proof:
                    found[row.place] = row
                    self._is_old = self._is_old or used < old
        return found

    def _packages(self) -> dict[bytes, frozenset[str]]:
        rows = self._connection.execute("SELECT digest, names FROM packages")
        found = {digest: frozenset(names.split()) for digest, names in rows}
        return {digest: names for digest, names in found.items() if digest == _of_packages(names)}

    def _write(self, rows: Iterable[_Row], around: bytes, packages: frozenset[str]) -> None:
        now = int(time.time())
        columns = ((row.place, row.text, row.packages, row.record, row.proof, now) for row in rows)
        with _transaction(self._connection) as execute:
            execute.executemany("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)", columns)
            execute.execute("INSERT OR REPLACE INTO packages VALUES (?, ?)", (around, " ".join(sorted(packages))))
            if self._is_old:
                touched = ((now, place) for place in self._states)
                execute.executemany("UPDATE records SET used = ? WHERE place = ?", touched)
            execute.execute("DELETE FROM records WHERE used < ?", (now - _FORGOTTEN_S,))
            execute.execute("DELETE FROM packages WHERE digest NOT IN (SELECT packages FROM records)")

    def _do(self, work: Callable[[], T]) -> T | None:
        """What `work` returns; None where the database does not do it. One that is damaged is deleted."""
        import sqlite3

        try:
            return work()
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in _transient():
                self.close()
                with suppress(OSError):
                    os.unlink(self._path)
            return None
        except (TypeError, ValueError, AttributeError):  # columns of other kinds than were written
            return None


def _adds_nothing(record: Record, before: Record, uses: int) -> bool:
    """Whether a record tells no more than that of before, which had so many uses."""
    return record.look is before.look and record.facts is before.facts and len(record.uses) == uses


def _transient() -> tuple[int, ...]:
    """Errors that say nothing of the file: another process holds it, or the disk is full."""
    import sqlite3

    names = ("BUSY", "LOCKED", "FULL", "IOERR", "READONLY", "CANTOPEN", "NOMEM", "INTERRUPT", "MISUSE")
    return tuple(getattr(sqlite3, f"SQLITE_{name}") for name in names)


@contextmanager
def _transaction(connection: "Connection") -> Iterator["Connection"]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _fits(unit: Unit, before: frozenset[str] | None, now: frozenset[str]) -> bool:
    """Whether a record made among the packages `before` holds among those of `now`: it mentions none that is new."""
    if before is None:
        return False
    if before == now:
        return True
    text = unit.source.text
    return all(name.isascii() and name.encode() not in text for name in before ^ now)


def _named(unit: Unit) -> bytes:
    """A digest of the file's name and surroundings, and of the codemods that read it."""
    around = unit.surroundings
    ids = tuple(codemod.id for codemod in unit.codemods)
    versions = (
        around.jax,
        around.oldest_jax,
        around.until,
        around.libraries,
        around.floors,
        around.came_from,
        around.origins,
    )
    asked = tuple(change.value for change in around.asked)
    place = (around.name, around.is_package, around.is_distributed)
    parts = (unit.source.path, *place, around.helpers, *versions, asked, ids)
    return hashlib.sha256(repr(parts).encode(errors="surrogateescape")).digest()


def _of_packages(names: Iterable[str]) -> bytes:
    return _digest(*(name.encode() for name in sorted(names)))


def _digest(*parts: bytes) -> bytes:
    found = hashlib.sha256()
    for part in parts:
        found.update(b"%d:" % len(part) + part)
    return found.digest()


def _prune(folder: Path) -> None:
    found = sorted(folder.glob("*.sqlite"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[_KEPT:]:
        os.unlink(path)


def _place(codemods: Iterable[Codemod]) -> Path | None:
    """Where what is found from the working folder is kept."""
    try:
        from platformdirs import user_cache_path

        name = hashlib.sha256(_stamp(codemods) + os.fsencode(os.getcwd())).hexdigest()
        return user_cache_path("jaxfix", appauthor=False) / "check" / f"{name}.sqlite"
    except (ImportError, RuntimeError, OSError):
        return None


def _stamp(codemods: Iterable[Codemod]) -> bytes:
    """The state of all code that looks: its version, and the sizes and times of its files."""
    package = Path(__file__).parents[2]
    places = {entry.path for entry in os.scandir(package) if entry.is_dir() and entry.name not in _NOT_LOOKING}
    for codemod in codemods:
        places.update(_home(codemod.find.__module__))
    parts = [__version__, sys.version, sys.implementation.name]
    for path in sorted(path for place in places for path in _sources(place)):
        state = os.stat(path)
        parts.append(f"{path} {state.st_size} {state.st_mtime_ns}")
    return "\n".join(parts).encode(errors="surrogateescape")


def _home(name: str) -> list[str]:
    """The folders of the outermost package that the module is in, which may hold more that it uses; else its file."""
    names = name.split(".")
    for depth in range(1, len(names) + 1):
        module = sys.modules.get(".".join(names[:depth]))
        where = getattr(module, "__file__", None)
        if where is not None:  # of a namespace, which belongs to many, there is none
            return list(getattr(module, "__path__", [where]))
    return []


def _sources(place: str) -> Iterator[str]:
    """The Python files in a folder, or the file itself."""
    if not os.path.isdir(place):
        yield place
    for folder, _, names in os.walk(place):
        yield from (os.path.join(folder, name) for name in names if name.endswith(".py"))
