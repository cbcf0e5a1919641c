"""Runs of proofs, kept in the user's own cache folder and never in a project: fixes are written because of them.

runs/SHA256      one run, as compressed JSON; mode 0600

What cannot be read, or is not to be believed, is skipped, and the run is made.
"""

import json
import os
import zlib
from contextlib import suppress
from pathlib import Path

from jaxfix.drivers import files, private
from jaxfix.evidence.reusing import Kept
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.errors import UserError

_LARGEST_BYTES = 100_000_000
_ALL_BYTES = 1_000_000_000
"""What all runs may take together; the oldest make room."""


class Folder:
    """The runs in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, name: str) -> Kept | None:
        """The run of that name; None where there is none, or it is not to be believed."""
        path = self._folder / name
        if not path.exists() or private.doubt(path, _LARGEST_BYTES) is not None:
            return None
        try:
            return from_json(Kept, json.loads(zlib.decompress(files.read_bytes(path))))
        except (UserError, ValueError, RecursionError, zlib.error):
            return None

    def keep(self, name: str, kept: Kept) -> None:
        """Keeps it, and deletes the oldest where that is too much; if it cannot be kept, nothing happens."""
        raw = zlib.compress(json.dumps(to_json(kept)).encode(), 1)
        if len(raw) > _LARGEST_BYTES:
            return
        with suppress(UserError, OSError):
            files.make_folder(self._folder)
            os.chmod(self._folder, 0o700)
            files.write_bytes(self._folder / name, raw, mode=0o600)
            _prune(self._folder)


class Fresh(Folder):
    """As if nothing had been kept yet."""

    def find(self, name: str) -> None:
        """Nothing."""


class Nowhere:
    """Keeps nothing."""

    def find(self, name: str) -> None:
        """Nothing."""

    def keep(self, name: str, kept: Kept) -> None:
        """Does nothing."""


def place(project: Path) -> Path | None:
    """The folder for the runs of all projects; None where the user has none, or it lies in this very project."""
    try:
        from platformdirs import user_cache_path

        folder = user_cache_path("jaxfix", appauthor=False) / "runs"
    except (ImportError, RuntimeError, OSError):
        return None
    return None if private.is_inside(folder, project) else folder


def _prune(folder: Path) -> None:
    states = {path: path.stat() for path in folder.iterdir()}
    left = sum(state.st_size for state in states.values())
    for path in sorted(states, key=lambda path: states[path].st_mtime_ns):
        if left <= _ALL_BYTES:
            return
        files.remove(path)
        left -= states[path].st_size
