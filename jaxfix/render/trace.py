"""Where a program spent its time, by source line, what it recompiled, and what cures it."""

import io
from collections.abc import Mapping, Sequence

from jaxfix.render.paint import Paint, counted, plain, printable
from jaxfix.report.measurement import Kind, Measurement, Spent, Step
from jaxfix.report.trace.by_hand import todos
from jaxfix.report.trace.compiles import Compiled, compiled
from jaxfix.report.trace.hot import SHARE
from jaxfix.report.trace.spending import per_step, shares, spent
from jaxfix.source.frozen import frozen

ONCE = 10
"""Rows of the table for lines that compiled a single time, and for what they did else; the rest is summed up."""
_OWN_SHARE = 0.05
"""Of the run: a line of Python that takes less has no row."""
_HEADINGS = ("seconds", "lost s", "times", "a step", "where", "what", "why", "codemod")
_NUMBERS = 4
_WHY = _HEADINGS.index("why")
_NARROWEST_WHY = 24
_GAP = 2
_MEGABYTE = 1_000_000
_SHOWN_S = 0.05
_NAMES = 3
_OFTEN = 9.5
_DID: Mapping[Kind, str] = {
    Kind.EAGER: "run one by one",
    Kind.READ: "read by the host",
    Kind.PUT: "put on the device",
    Kind.WAIT: "waits for the device",
    Kind.TRACING: "traced, and not compiled",
    Kind.OWN: "Python, and calls of compiled functions",
}


@frozen
class Cure:
    """The finding that explains a row; `fixable` if `jaxfix apply` has a fix."""

    id: str
    fixable: bool

    def __str__(self) -> str:
        return f"{self.id} [*]" if self.fixable else self.id


Cures = Mapping[Compiled | Spent, Cure]


def table(measurement: Measurement, paint: Paint, width: int | None = None, cures: Cures | None = None) -> str:
    """The rows, most seconds first, then the totals of the run, its steps, and the remedies.

    Args:
      width: the columns that a line may take; None for as many as it needs.
    """
    rows, did = compiled(measurement.compiles), told(measurement)
    if not rows and not did:
        return f"{nothing(measurement)}\n" + steps(measurement, paint)
    once = sorted((row for row in rows if not row.again), key=lambda row: -row.seconds)[:ONCE]
    least = SHARE * measurement.seconds
    dear = [row for row in rows if row.seconds >= least and (row.again or row in once)]
    shown: list[Compiled | Spent] = [*dear, *did]
    shown.sort(key=lambda row: -row.seconds)
    known = cures or {}
    cells = [_cells(row, known) if isinstance(row, Compiled) else _did(row, measurement, known) for row in shown]
    lines = [_laid_out(cells, paint, width)] if cells else []
    left = [row for row in rows if row not in dear]
    if left:
        often = " once" if not any(row.again for row in left) else ""
        seconds = sum(row.seconds for row in left)
        lines.append(f"and {counted(len(left), 'line')} more that compiled{often}, {seconds:.2f} s\n")
    by_hand = [f"by hand: {_one_line(todo.words)}\n" for todo in todos(measurement, known)]
    summed = (went(measurement, paint), totals(measurement, paint), steps(measurement, paint))
    return "".join((*lines, *summed, *by_hand))


def told(measurement: Measurement) -> tuple[Spent, ...]:
    """What lines did beside compiling, as far as it has a row: a hundredth of the run, of Python more."""
    least = dict.fromkeys(Kind, SHARE * measurement.seconds) | {Kind.OWN: _OWN_SHARE * measurement.seconds}
    return tuple(entry for entry in spent(measurement) if entry.seconds >= least[entry.kind])[:ONCE]


def went(measurement: Measurement, paint: Paint = plain) -> str:
    """What the seconds of the run went into, in one line; empty where they are not known."""
    whole = shares(measurement, sum(row.lost_s for row in compiled(measurement.compiles)))
    if whole is None:
        return ""
    lost = f" ({whole.lost_s:.1f} lost)" if whole.lost_s >= _SHOWN_S else ""
    waiting = f" ({whole.waited_s:.1f} waiting)" if whole.waited_s >= _SHOWN_S else ""
    parts = [
        (whole.compiling_s, f"compiling{lost}"),
        (whole.eager_s, "running programs one by one"),
        (whole.read_s + whole.wait_s, f"reading from the device{waiting}"),
        (whole.put_s, "putting onto the device"),
        (whole.rest_s, "the rest"),
    ]
    shown = ", ".join(f"{seconds:.1f} {words}" for seconds, words in parts if seconds >= _SHOWN_S)
    return f"{paint('bold', f'of {whole.run_s:.1f} s')}: {shown}\n"


def nothing(measurement: Measurement) -> str:
    """The line of a program without compiles: that it had none, or that they could not be seen."""
    if measurement.peak_bytes:
        return "nothing was compiled"
    return (
        "what was compiled is not known: no Python that can be watched came to its end "
        "(one that is started with `-I`, `-E` or `-S`, or killed before it compiles, cannot be)"
    )


def totals(measurement: Measurement, paint: Paint = plain) -> str:
    """How much was compiled, how much of it again, and how much came from the persistent cache."""
    rows = compiled(measurement.compiles)
    seconds, lost = sum(row.seconds for row in rows), sum(row.lost_s for row in rows)
    again, cached = sum(row.again for row in rows), sum(row.cached for row in rows)
    parts = [counted(sum(row.compiles for row in rows), "compile")]
    if cached:
        parts.append(f"{cached} of them from the persistent cache")
    told = f"{', '.join(parts)}, {seconds:.2f} s"
    if again:
        told += f"; {again} repeated, {lost:.2f} s lost"
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
    where, what = _one_line(row.where), _one_line(row.program)
    return f"{row.seconds:.2f}", lost, count, "", where, what, why, str(cures.get(row, ""))


def _did(row: Spent, measurement: Measurement, cures: Cures) -> tuple[str, ...]:
    count = f"{row.count:,}" if row.count else ""
    cure, where = str(cures.get(row, "")), _one_line(row.where)
    return f"{row.seconds:.2f}", "", count, a_step(row, measurement), where, names(row), did(row), cure


def a_step(row: Spent, measurement: Measurement) -> str:
    """How often in each step; empty outside of steps."""
    each = per_step(row, measurement) if row.count else None
    return "" if each is None else f"{each:,.0f}" if each >= _OFTEN else f"{each:.1f}"


def names(row: Spent) -> str:
    """What it ran, or how it read."""
    more = ", ..." if len(row.names) > _NAMES else ""
    return _one_line(", ".join(row.names[:_NAMES])) + more


def did(row: Spent) -> str:
    """What a line did beside compiling, in words."""
    waited = f", {row.waited_s:.2f} s of it waiting" if row.kind is Kind.READ and row.waited_s >= _SHOWN_S else ""
    return _DID[row.kind] + waited


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
        is_number = column < _NUMBERS
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
        seconds, lost, count, each, where, what, why, cure = row
        figures = ", ".join(
            words
            for words in (
                f"{count} x" if count else "",
                f"{each} a step" if each else "",
                f"{seconds} s",
                f"{lost} s lost" if lost else "",
            )
            if words
        )
        parts.append(Text(f"{where}  {what}".rstrip(), style="bold"))
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
        case "codemod" if row[column].endswith("[*]"):
            return "cyan"
    return ""
