"""What a program compiled, by source line."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from jaxfix.core.codec import to_json
from jaxfix.core.report import Compile, Measurement
from jaxfix.render.paint import Paint, counted

_HEADINGS = ("compiles", "seconds", "where", "what", "why")


@dataclass(frozen=True, slots=True)
class Row:
    """All that one line compiled of one program."""

    where: str
    program: str
    compiles: int
    seconds: float
    cause: str


def rows(compiles: Iterable[Compile]) -> tuple[Row, ...]:
    """By line and program, the most compiles first, then the most seconds, then by name."""
    groups: dict[tuple[str, str], list[Compile]] = {}
    for entry in compiles:
        groups.setdefault((f"{entry.path}:{entry.line}", entry.program), []).append(entry)
    found = [
        Row(where, program, len(group), sum(entry.seconds for entry in group), _cause(group))
        for (where, program), group in groups.items()
    ]
    return tuple(sorted(found, key=lambda row: (-row.compiles, -row.seconds, row.where, row.program)))


def table(measurement: Measurement, paint: Paint) -> str:
    """The table, and a line with the totals."""
    found = rows(measurement.compiles)
    if not found:
        return "nothing was compiled\n"
    cells = [_HEADINGS, *((str(r.compiles), f"{r.seconds:.2f}", r.where, r.program, r.cause) for r in found)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEADINGS))]
    head, *body = (_line(row, widths) for row in cells)
    seconds = sum(entry.seconds for entry in measurement.compiles)
    total = f"{counted(len(measurement.compiles), 'compile')}, {seconds:.2f} s"
    return "\n".join((paint("bold", head), *body, paint("bold", total), ""))


def document(measurement: Measurement) -> str:
    """The whole measurement as JSON, with the rows of the table."""
    found = [to_json(row) for row in rows(measurement.compiles)]
    return json.dumps({"schema": 1, "lines": found, "measurement": to_json(measurement)}, indent=2) + "\n"


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    numbers = [cell.rjust(width) for cell, width in zip(row[:2], widths, strict=False)]
    words = [cell.ljust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
    return "  ".join((*numbers, *words)).rstrip()


def _cause(group: list[Compile]) -> str:
    """Why a line compiled again, as far as it did: that it compiled once needs no reason."""
    causes = Counter(entry.cause.words for entry in group[1:] or group if entry.cause)
    return causes.most_common(1)[0][0] if causes else ""
