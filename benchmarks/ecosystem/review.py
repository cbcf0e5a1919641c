"""What a person has said of findings, after reading the code that they are about."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ecosystem.inspecting import Edit, Found, Library
from jaxfix.report.wire import from_json

REVIEWED = Path(__file__).with_name("reviewed.json")
MERGED = Path(__file__).with_name("merged.json")
VERDICTS = ("right", "little", "wrong")
Key = tuple[str, str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the line costs what the finding says, at the confidence that it says it with, and why.

    `little` is right, and worth little: nobody in their right mind waits for that line.
    """

    library: str
    path: str
    codemod: str
    confidence: str
    text: str
    number: int
    line: int
    verdict: str
    why: str

    def key(self) -> Key:
        """That of the finding, whatever else has moved in its file: not the line number."""
        return self.library, self.path, self.codemod, self.confidence, self.text, self.number


def key(library: Library, found: Found) -> Key:
    return library.name, found.path, found.codemod, found.confidence, found.text, found.number


def verdicts(path: Path = REVIEWED) -> Mapping[Key, Verdict]:
    """All verdicts by the key of their finding.

    Raises:
      ValueError: a verdict is none of these, or gives no reason.
    """
    entries = from_json(tuple[Verdict, ...], json.loads(path.read_text())) if path.exists() else ()
    for entry in entries:
        if entry.verdict not in VERDICTS or not entry.why:
            raise ValueError(f"{path.name}: {entry.library} {entry.path}:{entry.line} lacks a verdict or a reason")
    return {entry.key(): entry for entry in entries}


@dataclass(frozen=True, slots=True)
class Merge:
    """Whether the maintainers would merge an edit, and why."""

    library: str
    path: str
    key: str
    merge: bool
    why: str


def merges(path: Path = MERGED) -> Mapping[tuple[str, Edit], Merge]:
    """What was said of edits, by the library and the edit."""
    entries = from_json(tuple[Merge, ...], json.loads(path.read_text())) if path.exists() else ()
    return {(it.library, Edit(it.path, it.key.partition(":")[0], it.key)): it for it in entries}
