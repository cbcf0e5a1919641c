"""Makes the seals of receipts: the sources that were run, from the root of their project."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from jaxfix import __version__
from jaxfix.drivers import files
from jaxfix.drivers import receipts as kept
from jaxfix.report.evidence import Evidence
from jaxfix.report.seal import Seal, Sealed
from jaxfix.source.frozen import frozen

Sides = Mapping[Path, tuple[bytes | None, bytes | None]]
"""The text of a file without and with the tried fixes."""


@frozen
class Ran:
    """What was run for a receipt.

    Attributes:
      command: the program, or what was driven.
      place: where, as a sentence calls it; None for this machine.
      read: all files that it has read.
    """

    command: str
    place: str | None
    read: Iterable[str]


def seal(kind: str, root: Path, changed: Sides, ran: Ran, receipts: Sequence[Evidence], *, holds: bool = True) -> Seal:
    """The seal of these receipts; it names the changed sources and the files that the run read."""
    sources = {kept.relative_to(root, path): _pair(sides) for path, sides in changed.items()}
    for path in map(Path, ran.read):
        if path.is_relative_to(root) and (name := path.relative_to(root).as_posix()) not in sources:
            there = _on_disk(path)
            sources[name] = there, there
    told = [Sealed(name, *pair) for name, pair in sorted(sources.items()) if pair != (None, None)]
    return Seal(
        kind=kind,
        jaxfix=__version__,
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        command=ran.command,
        place=ran.place,
        environment=next((entry.environment for entry in receipts if entry.environment), None),
        verdicts=dict(Counter(entry.verdict.value for entry in receipts)),
        holds=holds,
        sources=tuple(told),
    )


def _pair(sides: tuple[bytes | None, bytes | None]) -> tuple[str | None, str | None]:
    before, after = (None if text is None else hashlib.sha256(text).hexdigest() for text in sides)
    return before, after


def _on_disk(path: Path) -> str | None:
    return hashlib.sha256(files.read_bytes(path)).hexdigest() if path.is_file() else None
