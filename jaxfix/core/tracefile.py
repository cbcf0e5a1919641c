"""A traced run as a file: versioned JSON that names the sources it speaks of."""

import hashlib
import json
from dataclasses import dataclass

from jaxfix.core.codec import from_json, to_json
from jaxfix.core.compiled import compiled, places
from jaxfix.core.errors import EvidenceError
from jaxfix.core.report import Measurement

SCHEMA = 1
FORMAT = "jaxfix trace"
_AROUND = 3
_AGAIN = "trace the program again with `jaxfix trace -o FILE -- CMD`"


@dataclass(frozen=True, slots=True)
class TracedSource:
    """A file of the user's as it was when the run had ended.

    Attributes:
      sha256: of its bytes.
      lines: the text of the lines that the trace names and of those around them, by number.
    """

    sha256: str
    lines: dict[str, str]

    def line(self, number: int) -> str | None:
        return self.lines.get(str(number))


@dataclass(frozen=True, slots=True)
class Trace:
    """What one run told.

    Attributes:
      jaxfix: the version that wrote it.
      command: the words of the program.
      root: the folder in which it ran; relative paths start there.
      sources: the user's files, by the paths that the measurement has.
    """

    jaxfix: str
    command: tuple[str, ...]
    root: str
    measurement: Measurement
    sources: dict[str, TracedSource]


def named_lines(measurement: Measurement) -> dict[str, set[int]]:
    """The lines that the compiles of a run name, by path."""
    found: dict[str, set[int]] = {}
    for entry in measurement.compiles:
        found.setdefault(entry.path, set()).add(entry.line)
        for place in places(entry.chain):
            found.setdefault(place.path, set()).add(place.line)
    return found


def traced_source(raw: bytes, named: set[int]) -> TracedSource:
    """What a trace keeps of a file of which it names some lines."""
    lines = raw.decode(errors="replace").splitlines()
    kept = {n for line in named for n in range(line - _AROUND, line + _AROUND + 1) if 1 <= n <= len(lines)}
    return TracedSource(hashlib.sha256(raw).hexdigest(), {str(n): lines[n - 1] for n in sorted(kept)})


def dump(trace: Trace) -> bytes:
    """The file: JSON, the rows of the table among it for who reads it with other tools."""
    head = {"format": FORMAT, "schema": SCHEMA, "rows": to_json(compiled(trace.measurement.compiles))}
    body = to_json(trace)
    assert isinstance(body, dict)
    return (json.dumps(head | body, indent=1) + "\n").encode()


def load(raw: bytes, path: str) -> Trace:
    """Reads a trace.

    Raises:
      EvidenceError: it is not JSON, no trace, or of a schema that this version does not read; names `path`.
    """
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise EvidenceError(f"{path}: not JSON: {error}", hint=_AGAIN) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise EvidenceError(f"{path}: not a trace of jaxfix", hint=_AGAIN)
    if document.get("schema") != SCHEMA:
        said = f"{path}: a trace of schema {document.get('schema')!r}, and this jaxfix reads schema {SCHEMA}"
        raise EvidenceError(said, hint=_AGAIN)
    try:
        return from_json(Trace, document)
    except ValueError as error:
        raise EvidenceError(f"{path}: a damaged trace: {error}", hint=_AGAIN) from error
