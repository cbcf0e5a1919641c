"""Where findings and edits are, as other tools count, and what a finding is known by when it moves."""

import hashlib
from collections import Counter
from collections.abc import Iterable

from jaxfix.report.finding import Fix
from jaxfix.report.report import Diagnostic, Related
from jaxfix.source.edits import Span, apply_edits
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

_DIGITS = 32


@frozen
class Place:
    """A line and a column, both from 1."""

    line: int
    column: int


@frozen
class Region:
    """From a place to another one, which is not part of it."""

    start: Place
    end: Place


_TOP = Region(Place(1, 1), Place(1, 1))


def region(finding: Diagnostic | Related) -> Region:
    """Where the finding is in its file; the top of a notebook, whose lines only its editor can count."""
    if finding.cell is not None:
        return _TOP
    return Region(Place(finding.line, finding.column), Place(finding.end_line, finding.end_column))


def place(file: SourceFile, offset: int) -> Place:
    """Where the byte at `offset` stands, its column in code points; after the last newline begins another line."""
    if _ends_a_line(file.text, offset):
        return Place(file.lines.line(offset) + 1, 1)
    return Place(file.lines.line(offset), file.lines.column(offset))


def place_in_bytes(file: SourceFile, offset: int) -> Place:
    """As `place`, its column in bytes of UTF-8."""
    found = place(file, offset)
    return Place(found.line, offset - file.lines.line_start(found.line) + 1)


def joined(file: SourceFile, fix: Fix) -> tuple[Span, str]:
    """All edits of the fix as one: what they replace, and with what lies between them."""
    first, last = min(edit.span.start for edit in fix.edits), max(edit.span.end for edit in fix.edits)
    after = apply_edits(file.text, fix.edits)
    return Span(first, last), after[first : len(after) - (len(file.text) - last)].decode()


def fingerprints(findings: Iterable[Diagnostic], *, with_path: bool) -> tuple[str, ...]:
    """A name for each finding that outlives its line: of its codemod, function and statement, and which of equal ones.

    Args:
      with_path: whether the same in another file, or in the same file by another name, is another finding.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    made = []
    for finding in findings:
        known = (finding.id, finding.anchor.function, finding.anchor.digest)
        seen[(finding.path, *known)] += 1
        words = [*known, str(seen[(finding.path, *known)]), *([finding.path] if with_path else [])]
        raw = "\n".join(words).encode(errors="surrogateescape")
        made.append(hashlib.sha256(raw).hexdigest()[:_DIGITS])
    return tuple(made)


def _ends_a_line(text: bytes, offset: int) -> bool:
    return offset == len(text) > 0 and text.endswith((b"\n", b"\r"))
