"""What `.jaxfix/` no longer needs: what can be undone stays, the rest makes room. For the holder of the write lock."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.source.errors import UserError

MOST_APPLIES = 100
"""Applies that can be undone, and as many again of which it is listed that they were undone."""
MOST_RECEIPTS = 200
"""Applies whose receipts are listed."""


def prune_journal(home: Path) -> None:
    """Deletes the oldest entries of the journal, and the contents that none of the others would put back.

    What cannot be read or deleted stays, with all that it may need.
    """
    with suppress(UserError, ValueError, KeyError, TypeError):
        for state in ("journal", "undone"):
            for path in _by_number(home / state)[:-MOST_APPLIES]:
                files.remove(path)
        needed = {digest for path in _by_number(home / "journal") for digest in _originals(path)}
        for path in sorted((home / "objects").iterdir()):
            if path.name not in needed:
                files.remove(path)


def prune_receipts(folder: Path) -> None:
    """Deletes the oldest receipts; what is none stays."""
    dated = []
    for path in folder.glob("*.json"):
        with suppress(UserError, ValueError, KeyError, TypeError):
            dated.append((str(json.loads(files.read_bytes(path))["when"]), path))
    with suppress(UserError):
        for _, path in sorted(dated)[:-MOST_RECEIPTS]:
            files.remove(path)


def _by_number(folder: Path) -> list[Path]:
    """The entries in the folder, the oldest first."""
    return sorted((path for path in folder.glob("*.json") if path.stem.isdecimal()), key=lambda path: int(path.stem))


def _originals(entry: Path) -> Iterator[str]:
    yield from (line["before"] for line in json.loads(files.read_bytes(entry))["lines"])
