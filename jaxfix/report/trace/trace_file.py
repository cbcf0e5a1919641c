"""A traced run as a file: versioned JSON that names the sources it speaks of."""

import hashlib
import json
from collections.abc import Collection, Iterator

from jaxfix.report.measurement import Compile, Measurement, Spent
from jaxfix.report.trace.by_hand import advice
from jaxfix.report.trace.compiles import Place, compiled, places
from jaxfix.report.trace.hot import Hot, hot
from jaxfix.report.trace.noted import Noted
from jaxfix.report.trace.spending import shares
from jaxfix.report.wire import from_json, to_json
from jaxfix.source.errors import EvidenceError, SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import NOTEBOOK, SourceFile

SCHEMA = 1
FORMAT = "jaxfix trace"
_AROUND = 3
_AGAIN = "trace the program again with `jaxfix trace -o FILE -- CMD`"


@frozen
class TracedSource:
    """A file of the user's at the end of the run.

    Attributes:
      sha256: of its bytes.
      lines: the text of the lines that the trace names and of those around them, by number; in a notebook by
        `cell:number`.
    """

    sha256: str
    lines: dict[str, str]

    def line(self, number: int, cell: int | None = None) -> str | None:
        return self.lines.get(_key(cell, number))


@frozen
class Trace:
    """The record of one run.

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


Line = int | tuple[int, int]
"""The number of a line; of a notebook the cell, and the number in it."""


def named_lines(measurement: Measurement) -> dict[str, set[Line]]:
    """The lines that a measurement names, by path."""
    found: dict[str, set[Line]] = {}
    entries: list[Compile | Spent] = [*measurement.compiles, *measurement.spent]
    for entry in entries:
        named: tuple[Compile | Spent | Place | Noted, ...] = (entry, *places(entry.chain))
        if isinstance(entry, Compile) and entry.noted:
            named += (*entry.noted, *places([entry.of] if entry.of is not None else []))
        for place in named:
            line = place.line if place.cell is None else (place.cell, place.line)
            found.setdefault(place.path, set()).add(line)
    return found


def traced_source(raw: bytes, named: Collection[Line], path: str = "") -> TracedSource:
    """The part of the file `path` that a trace keeps: its digest and the named lines."""
    texts: dict[int | None, list[str]] = {None: raw.decode(errors="replace").splitlines()}
    if path.endswith(NOTEBOOK):
        texts = dict(_cells(path, raw))
    kept = {
        (cell, number)
        for cell, line in (line if isinstance(line, tuple) else (None, line) for line in named)
        for number in range(line - _AROUND, line + _AROUND + 1)
        if 1 <= number <= len(texts.get(cell, ()))
    }
    ordered = sorted(kept, key=lambda place: (place[0] or 0, place[1]))
    lines = {_key(cell, number): texts[cell][number - 1] for cell, number in ordered}
    return TracedSource(hashlib.sha256(raw).hexdigest(), lines)


def _cells(path: str, raw: bytes) -> Iterator[tuple[int, list[str]]]:
    """The lines of each cell of a notebook; none of one that cannot be read any more."""
    try:
        notebook = SourceFile.decode(path, raw).notebook
    except SourceError:
        return
    for cell in notebook.cells if notebook is not None else ():
        yield cell.number, cell.source.splitlines()


def _key(cell: int | None, number: int) -> str:
    return str(number) if cell is None else f"{cell}:{number}"


def dump(trace: Trace) -> bytes:
    """The file: JSON, with the rows of the table for other tools."""
    measured = trace.measurement
    rows, events = compiled(measured.compiles), hot(measured)
    total = shares(measured, sum(row.lost_s for row in rows))
    told = [{**_object(event), "advice": advice(event, measured)} for event in events]
    head = {"format": FORMAT, "schema": SCHEMA, "shares": to_json(total), "rows": to_json(rows), "events": told}
    body = to_json(trace)
    assert isinstance(body, dict)
    return (json.dumps(head | body, indent=1) + "\n").encode()


def _object(event: Hot) -> dict[str, object]:
    body = to_json(event)
    assert isinstance(body, dict)
    return dict(body)


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
