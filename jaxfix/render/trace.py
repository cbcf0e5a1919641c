"""What a program compiled, by source line, what it lost by that, and what cures it."""

import io
from collections.abc import Mapping, Sequence

from jaxfix.render.paint import Paint, counted, plain, printable
from jaxfix.report.measurement import Measurement, Step
from jaxfix.report.trace.compiles import Compiled, compiled
from jaxfix.source.frozen import frozen

ONCE = 10
"""Rows of the table for lines that compiled a single time; the rest is summed up."""
_HEADINGS = ("lost s", "seconds", "compiles", "where", "what", "why", "cure")
_WHY = _HEADINGS.index("why")
_NARROWEST_WHY = 24
_GAP = 2
_MEGABYTE = 1_000_000


@frozen
class Cure:
    """The finding that explains a row; `fixable` if `jaxfix apply` has a fix."""

    id: str
    fixable: bool

    def __str__(self) -> str:
        return f"{self.id} [*]" if self.fixable else self.id


Cures = Mapping[Compiled, Cure]


def table(measurement: Measurement, paint: Paint, width: int | None = None, cures: Cures | None = None) -> str:
    """The rows, the most seconds lost first, then the totals and what the steps did.

    Args:
      width: the columns that a line may take; None for as many as it needs.
    """
    rows = compiled(measurement.compiles)
    if not rows:
        return f"{nothing(measurement)}\n" + steps(measurement, paint)
    again = [row for row in rows if row.again]
    once = [row for row in rows if not row.again]
    shown = (*again, *once[:ONCE])
    cells = [_cells(row, cures or {}) for row in shown]
    left = once[ONCE:]
    lines = [_laid_out(cells, paint, width)]
    if left:
        seconds = sum(row.seconds for row in left)
        lines.append(f"and {counted(len(left), 'line')} more that compiled once, {seconds:.2f} s\n")
    return "".join((*lines, totals(measurement, paint), steps(measurement, paint)))


def nothing(measurement: Measurement) -> str:
    """What is said of a program without compiles: that it had none, or that nobody could see them."""
    if measurement.peak_bytes:
        return "nothing was compiled"
    return (
        "what was compiled is not known: no Python that can be watched came to its end "
        "(one that is started with `-I`, `-E` or `-S`, or killed before it compiles, cannot be)"
    )


def totals(measurement: Measurement, paint: Paint = plain) -> str:
    """How much was compiled, how much of it in vain, and how much came from the persistent cache."""
    rows = compiled(measurement.compiles)
    seconds, lost = sum(row.seconds for row in rows), sum(row.lost_s for row in rows)
    again, cached = sum(row.again for row in rows), sum(row.cached for row in rows)
    parts = [counted(sum(row.compiles for row in rows), "compile")]
    if cached:
        parts.append(f"{cached} of them from the persistent cache")
    told = f"{', '.join(parts)}, {seconds:.2f} s"
    if again:
        told += f"; {again} of a line that had compiled before, {lost:.2f} s lost"
    return f"{paint('bold', told)}\n"


def steps(measurement: Measurement, paint: Paint = plain) -> str:
    """What each step cost once it was warm, in one line; empty where the program has no steps."""
    found = measurement.steps
    if not found:
        return ""
    where = f" of {_one_line(measurement.where_steps)}" if measurement.where_steps else ""
    head = f"{counted(measurement.step_numbers[-1], 'step')}{where}"
    steady = measurement.steady_steps
    if not steady:
        return f"{head}: fewer than {measurement.steps_from}, so none is steady\n"
    parts = [f"{_compiles_of(steady)} from step {measurement.steps_from}"]
    if len(steady) > 1:
        between = sum(step.iterations for step in steady[1:])
        parts.append(f"RSS {_signed(measurement.steady_rss_bytes / _MEGABYTE, 1)} MB per step")
        first, last = steady[0].live_arrays, steady[-1].live_arrays
        if first is not None and last is not None:
            parts.append(f"live arrays {_signed((last - first) / between, 1 if (last - first) % between else 0)}")
    return f"{paint('bold', head)}: {', '.join(parts)}\n"


def _compiles_of(steady: Sequence[Step]) -> str:
    """`1 compile per step`, or how many in how many where they are not alike."""
    alike = all(step.compiled == step.iterations * steady[0].compiles for step in steady)
    if alike and len({step.compiles for step in steady}) == 1:
        return f"{counted(steady[0].compiles, 'compile')} per step"
    passed = sum(step.iterations for step in steady)
    return f"{counted(sum(step.compiled for step in steady), 'compile')} in {counted(passed, 'step')}"


def _signed(number: float, digits: int) -> str:
    rounded = f"{number:+.{digits}f}"
    return rounded.replace("-", "+") if float(rounded) == 0 else rounded


def _cells(row: Compiled, cures: Cures) -> tuple[str, ...]:
    count = f"{row.compiles} ({row.cached} cached)" if row.cached else str(row.compiles)
    lost = f"{row.lost_s:.2f}" if row.again else ""
    why = _one_line(row.cause.words) if row.cause else ""
    where = _one_line(row.where)
    return lost, f"{row.seconds:.2f}", count, where, _one_line(row.program), why, str(cures.get(row, ""))


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _laid_out(cells: Sequence[tuple[str, ...]], paint: Paint, width: int | None) -> str:
    used = [column for column in range(len(_HEADINGS)) if any(row[column] for row in cells)]
    widths = {c: max(len(_HEADINGS[c]), *(len(row[c]) for row in cells)) for c in used}
    around = sum(size + _GAP for column, size in widths.items() if column != _WHY)
    if width is None or around + widths.get(_WHY, 0) <= width or _WHY not in used:
        return _columns(cells, used, paint, 10_000)
    if width - around >= _NARROWEST_WHY:
        return _columns(cells, used, paint, width)
    return _stacked(cells, paint, width)


def _columns(cells: Sequence[tuple[str, ...]], used: Sequence[int], paint: Paint, width: int) -> str:
    """One row per line; only the causes are folded."""
    from rich.table import Table
    from rich.text import Text

    layout = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    for column in used:
        is_number = _HEADINGS[column] in ("lost s", "seconds", "compiles")
        layout.add_column(_HEADINGS[column], justify="right" if is_number else "left", no_wrap=column != _WHY)
    for row in cells:
        layout.add_row(*(Text(row[column], style=_style(column, row)) for column in used))
    return _printed(layout, paint, width)


def _stacked(cells: Sequence[tuple[str, ...]], paint: Paint, width: int) -> str:
    """For a narrow terminal: the figures, then place, cause and cure below them, indented."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    parts: list[Text | Padding] = []
    for row in cells:
        lost, seconds, count, where, what, why, cure = row
        figures = f"{count} x, {seconds} s" + (f", {lost} s lost" if lost else "")
        parts.append(Text(f"{where}  {what}", style="bold"))
        parts += [Padding(Text(line), (0, 0, 0, 4)) for line in (figures, why, cure) if line]
    return _printed(Group(*parts), paint, width)


def _printed(layout: object, paint: Paint, width: int) -> str:
    from rich.console import Console

    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=paint is not plain,
        color_system=None if paint is plain else "standard",
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        console.print(layout)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _style(column: int, row: tuple[str, ...]) -> str:
    match _HEADINGS[column]:
        case "lost s":
            return "bold red"
        case "where":
            return "bold"
        case "cure" if row[column].endswith("[*]"):
            return "cyan"
    return ""
