"""What was judged before, one line each: a run that is cut off is a result, and the next one goes on from there."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Entry:
    """What came of one thing that is judged.

    Attributes:
      build: names the state of the sources that decide it.
      found: JSON, each part of the page has its own.
      day: when it was judged, such as 2026-11-27; empty for what was judged before days were noted.
    """

    part: str
    name: str
    build: str
    found: dict[str, Any]
    day: str = ""


class Ledger:
    """The entries of a file, to which new ones are added as they come; in memory alone where there is no file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self._entries = {(entry.part, entry.name): entry for entry in (Entry(**json.loads(line)) for line in lines)}

    def add(self, entry: Entry) -> None:
        self._entries[entry.part, entry.name] = entry
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a") as file:
                file.write(_line(entry))

    def compact(self) -> None:
        """Leaves the newest entry of each name in the file."""
        if self._path is not None and self._entries:
            self._path.write_text("".join(map(_line, self._entries.values())))

    def of(self, part: str, names: Iterable[str]) -> dict[str, Entry]:
        """The newest entry of each name that was judged."""
        return {name: self._entries[part, name] for name in names if (part, name) in self._entries}


def _line(entry: Entry) -> str:
    fields = {name: value for name, value in asdict(entry).items() if name != "day" or value}
    return json.dumps(fields) + "\n"


@cache
def build(folders: tuple[str, ...], apart: tuple[str, ...] = ()) -> str:
    """Names the state of the sources in `folders`, except for the paths that begin with one of `apart`."""
    digest = hashlib.sha256()
    for folder in folders:
        found = (path for kind in ("*.py", "*.txt", "*.json") for path in (ROOT / folder).rglob(kind))
        for path in sorted(found):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(apart):
                digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]
