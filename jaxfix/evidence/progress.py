"""The progress of a run, in words, from the reports of its processes."""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

Progress = Callable[[str], None]
"""Called with how far a run is, in words, each time that these are new."""


def ignore(words: str) -> None:
    """Shows no progress."""


def read(results: Path) -> str:
    """How far the processes are that write into this folder; empty where none has said anything."""
    said = []
    for path in results.glob("*.progress"):
        with suppress(OSError, ValueError):
            said.append(json.loads(path.read_text()))
    return words(said)


def words(said: Iterable[Mapping[str, int]]) -> str:
    """`case 3 of 16`, `step 7`, or `12 compiles` where there are no steps."""
    counts = list(said)
    driver = next((each for each in counts if "cases" in each), None)
    if driver is not None:
        return f"case {driver['case']} of {driver['cases']}"
    if steps := max((each.get("steps", 0) for each in counts), default=0):
        return f"step {steps}"
    compiles = sum(each.get("compiles", 0) for each in counts)
    return f"{compiles} compile{'s' * (compiles != 1)}" if compiles else ""
