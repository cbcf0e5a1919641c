"""The end of every receipt: its sources, how they were run, and a digest of all of it.

The digest shows that a receipt was not changed by hand since; not who wrote it, nor that anything was run.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field

from jaxfix.report.measurement import Environment
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.frozen import frozen

SCHEMA = 1
NAME = "seal"


@frozen
class Sealed:
    """A file of the project, as it was run.

    Attributes:
      path: from the root of the project with `/`, or absolute where it lies elsewhere.
      before: sha256 of it without the fixes; None for a new file.
      after: sha256 with what was proven, or with the change; the same where nothing of it changes.
    """

    path: str
    before: str | None
    after: str | None


@frozen
class Seal:
    """The subject of a receipt: sources, command, place and time.

    Attributes:
      kind: the jaxfix command that wrote it.
      jaxfix: its version.
      when: UTC, ISO 8601.
      command: the program that was run, or what was driven.
      place: where it ran, as a sentence calls it; None for the machine of that command.
      environment: versions and device; None where nothing ran.
      verdicts: how many verdicts there are of each kind.
      holds: whether what it judged is proven; of fixes those that were written always are.
      sources: what was changed, and what else of the project the program has read.
      sha256: over the whole document, with this field empty.
    """

    kind: str
    jaxfix: str
    when: str
    command: str
    place: str | None
    environment: Environment | None
    verdicts: dict[str, int]
    holds: bool
    sources: tuple[Sealed, ...]
    sha256: str = ""
    schema: int = field(default=SCHEMA)


def closed(document: Mapping[str, object], seal: Seal | None) -> dict[str, object]:
    """The document with the seal, or unchanged without one."""
    if seal is None:
        return {**document, NAME: None}
    whole = {**document, NAME: to_json(seal)}
    return {**document, NAME: {**_of(whole), "sha256": digest(whole)}}


def opened(document: object) -> Seal:
    """The seal of a document.

    Raises:
      ValueError: it has none.
    """
    if not isinstance(document, dict):
        raise ValueError("not a receipt")
    return from_json(Seal, _of(document))


def digest(document: Mapping[str, object]) -> str:
    """The digest that the seal of this document must have."""
    bare = {**document, NAME: {**_of(document), "sha256": ""}}
    return hashlib.sha256(json.dumps(bare, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _of(document: Mapping[str, object]) -> dict[str, object]:
    found = document.get(NAME)
    if not isinstance(found, dict):
        raise ValueError("it has no seal")
    return found
