"""The receipts in `.jaxfix/receipts/`: what every rerun has shown, also of fixes that it refuted.

.jaxfix/receipts/SHA256.json      all receipts of one apply, named by its contents

They are there to be read. Nothing in them is run, and no fix is written because of them: who can write into a project
can write receipts too.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from jaxfix.drivers import files, journal, pruning
from jaxfix.drivers.versions import Versions
from jaxfix.report.evidence import Evidence
from jaxfix.report.seal import Seal, closed
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.errors import UserError
from jaxfix.source.frozen import frozen

SCHEMA = 1
_NAME = "receipts"


@frozen
class Receipt:
    """One fix that was tried.

    Attributes:
      file: the source, from the root of the project with `/`, or absolute where it lies elsewhere.
      after_sha256: of the file as it was written; None if nothing was.
      drove: the interpreter that drove optimizers; None for a program.
      configured: the program that the configuration named then.
      place: where it ran, as a sentence calls it; None for this machine.
      chosen: what a bare `python` of the program meant, where the user said.
    """

    evidence: Evidence
    file: str
    after_sha256: str | None
    drove: str | None
    configured: str | None
    place: str | None = None
    chosen: str | None = None


@frozen
class Batch:
    """What one apply got to know. `when` is UTC, ISO 8601, to the microsecond; older ones have no seal."""

    when: str
    command: str
    receipts: tuple[Receipt, ...]
    schema: int = SCHEMA
    seal: Seal | None = None


@frozen
class Now:
    """How things are today.

    Attributes:
      sha256: of the source; None if it is gone.
      configured: the program that the configuration names.
      versions: of the interpreter that would rerun it; None where that cannot be determined without starting it.
    """

    sha256: str | None
    configured: str | None
    versions: Versions | None


def record(root: Path, command: str, receipts: tuple[Receipt, ...], seal: Seal | None = None) -> Path:
    """Keeps what one apply got to know; returns where.

    Raises:
      WriteError: it cannot be kept.
    """
    batch = Batch(datetime.now(UTC).isoformat(timespec="microseconds"), command, receipts)
    document = to_json(batch)
    assert isinstance(document, dict)
    raw = (json.dumps(closed(document, seal), indent=1) + "\n").encode()
    with journal.held(root):
        path = journal.folder(root, _NAME) / f"{hashlib.sha256(raw).hexdigest()}.json"
        files.write_bytes(path, raw)
        pruning.prune_receipts(path.parent)
    return path


def batches(root: Path) -> tuple[tuple[Batch, ...], tuple[str, ...]]:
    """All that is kept, the newest first, and sentences about files that are no receipts."""
    found: list[Batch] = []
    problems: list[str] = []
    for path in sorted((root / journal.FOLDER / _NAME).glob("*.json")):
        try:
            found.append(_read(path))
        except UserError as error:
            problems.append(str(error))
    return tuple(sorted(found, key=lambda batch: batch.when, reverse=True)), tuple(problems)


def root_above(folder: Path) -> Path | None:
    """The nearest folder from `folder` upwards that keeps receipts."""
    start = folder.absolute()
    return next((above for above in (start, *start.parents) if (above / journal.FOLDER / _NAME).is_dir()), None)


def relative_to(root: Path, path: Path) -> str:
    """How a receipt of the project names a file."""
    real, base = files.resolved(path), files.resolved(root)
    return real.relative_to(base).as_posix() if real.is_relative_to(base) else real.as_posix()


def reasons(receipt: Receipt, now: Now) -> tuple[str, ...]:
    """Why the receipt no longer applies; empty while it holds as far as `now` shows. Pure."""
    return tuple(_reasons(receipt, now))


def digest(path: Path) -> str | None:
    """Of the file; None if it is gone, or is not a regular file."""
    return hashlib.sha256(files.read_bytes(path)).hexdigest() if os.path.isfile(path) else None


def _reasons(receipt: Receipt, now: Now) -> Iterator[str]:
    evidence = receipt.evidence
    if now.sha256 is None:
        yield "the source is gone"
    elif now.sha256 not in (evidence.source_sha256, receipt.after_sha256):
        yield "the source has changed"
    if receipt.drove is None and now.configured not in (None, receipt.configured, evidence.command):
        yield f"the configuration names `{now.configured}` now"
    if evidence.environment is None or now.versions is None:
        return
    python = ".".join(evidence.environment.python.split(".")[:2])
    pairs = (
        ("Python", python, now.versions.python or python),
        ("jax", evidence.environment.jax, now.versions.jax),
        ("jaxlib", evidence.environment.jaxlib, now.versions.jaxlib),
    )
    for name, then, today in pairs:
        if today != then:
            yield f"{name} was {then} and is {today or 'not there'}"


def _read(path: Path) -> Batch:
    try:
        batch = from_json(Batch, json.loads(files.read_bytes(path)))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{files.shown(path)}: not a list of receipts: ignored", hint="delete it") from error
    if batch.schema != SCHEMA:
        raise UserError(f"{files.shown(path)}: schema {batch.schema}, and this jaxfix knows {SCHEMA}: ignored")
    return batch
