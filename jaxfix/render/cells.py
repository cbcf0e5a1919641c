"""Diffs of notebooks: which cell a hunk of the file is in, and what changes in each cell, as Python."""

import difflib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from jaxfix.source.notebook import ipynb
from jaxfix.source.source_file import NOTEBOOK, SourceFile

_HUNK = re.compile(r"@@ -(\d+)")
_MOST = 3
"""Cells that one hunk names; a file of one line has all of them in it."""


def headed(path: str, before: bytes | None, body: Sequence[str]) -> list[str]:
    """The lines of a diff of the file; of a notebook each hunk says in which cells it is, as git says the function."""
    if before is None or not path.endswith(NOTEBOOK):
        return list(body)
    spans = _lines_of_cells(path, before)
    found: list[str] = []
    for index, line in enumerate(body):
        header = _HUNK.match(line)
        cells = _cells(spans, int(header[1]), body[index + 1 :]) if header else []
        named = f" cell{'s' * (len(cells) > 1)} {', '.join(map(str, cells))}" if 0 < len(cells) <= _MOST else ""
        found.append(f"{line.removesuffix(chr(10))}{named}\n" if named else line)
    return found


def hunks(path: str, before: bytes, after: bytes) -> list[str] | None:
    """What changes in each cell, as lines of a diff of its Python; None for what is not a notebook."""
    if not path.endswith(NOTEBOOK):
        return None
    old, new = (SourceFile.decode(path, raw).notebook for raw in (before, after))
    assert old is not None and new is not None
    found: list[str] = []
    for one, other in zip(old.cells, new.cells, strict=True):
        if one.source != other.source:
            was, is_now = one.source.split("\n"), other.source.split("\n")
            lines = list(difflib.unified_diff(was, is_now, lineterm=""))[2:]
            found += (f"{line} cell {one.number}" if _HUNK.match(line) else line for line in lines)
    return found


def _lines_of_cells(path: str, raw: bytes) -> list[tuple[int, int]]:
    """The first and the last line of the source of each cell of code, in the file."""
    around = ipynb.read(path, raw)
    text = raw.removeprefix(b"\xef\xbb\xbf").decode()
    ends = [match.start() for match in re.finditer("\n", text)]
    spans = (literals.span for literals in around.literals)
    return [(bisect_left(ends, s.start) + 1, bisect_right(ends, s.end - 1) + 1) if s else (0, 0) for s in spans]


def _cells(spans: Sequence[tuple[int, int]], line: int, body: Sequence[str]) -> list[int]:
    """The cells that a hunk changes, which begins at `line` of the old file."""
    changed = list(_changed(line, body))
    return [n for n, (first, last) in enumerate(spans, 1) if any(first <= at <= last for at in changed)]


def _changed(line: int, body: Sequence[str]) -> Iterator[int]:
    """The lines of the old file that a hunk removes, or before which it adds others."""
    for entry in body:
        if entry.startswith("@@"):
            return
        if entry.startswith(("-", "+")):
            yield line
        if entry.startswith(("-", " ")):
            line += 1
