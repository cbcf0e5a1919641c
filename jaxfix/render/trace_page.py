"""A trace as one page: complete in itself, offline, readable without scripts and usable by keyboard."""

import json
import pkgutil
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape

from jaxfix.render.paint import counted
from jaxfix.render.spending_page import did_table, went_into
from jaxfix.render.trace import Cure, Cures, nothing, steps
from jaxfix.report.measurement import Environment, Measurement
from jaxfix.report.trace.cause import Why
from jaxfix.report.trace.compiles import Compiled, Place, compiled
from jaxfix.report.trace.trace_file import Trace

COLOURS: Mapping[Why, str] = {
    Why.FIRST: "first",
    Why.FUNCTION: "function",
    Why.STATIC: "static",
    Why.PARAMETER: "parameter",
    Why.WEAK_TYPE: "weak",
    Why.DTYPE: "dtype",
    Why.SHAPE: "shape",
    Why.STRUCTURE: "structure",
    Why.CONSTANT: "constant",
    Why.CONTEXT: "context",
    Why.SHARDING: "sharding",
    Why.UNKNOWN: "unknown",
}
"""The custom property of the style sheet that each cause is drawn in."""
_HEADINGS = ("lost s", "seconds", "compiles", "where", "what", "why", "codemod")
_NUMBERS = 3
_AROUND = 3
_CAUSES = 12
"""Different causes of one place that are written out; the rest is counted."""


def page(trace: Trace, cures: Cures) -> str:
    """The whole document.

    Nothing of the user's enters it but as escaped text or as JSON without `<`, `>` and `&`.
    """
    rows = compiled(trace.measurement.compiles)
    command = shlex.join(trace.command)
    body = "\n".join(
        part
        for part in (
            _head(trace, command, rows),
            '<main id="main">',
            went_into(trace.measurement, cures),
            _timeline(trace.measurement),
            _steps(trace.measurement),
            _table(rows, cures),
            did_table(trace.measurement, cures),
            _places(trace, rows, cures),
            "</main>",
            f"<footer>Made by <code>jaxfix trace</code> {escape(trace.jaxfix)}. Charts: uPlot, MIT licence.</footer>",
        )
        if part
    )
    return _DOCUMENT.format(
        title=escape(f"{command}: compiles"),
        css=_asset("uplot.min.css") + _asset("palette.css") + _asset("trace.css"),
        licence=_asset("uplot.LICENSE").replace("*/", ""),
        body=body,
        data=_json(_data(trace.measurement, rows)),
        library=_asset("uplot.min.js"),
        script=_asset("trace.js"),
    )


_DOCUMENT = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" \
content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{css}
</style>
</head>
<body>
<a class="skip" href="#table">to the table</a>
{body}
<script type="application/json" id="data">{data}</script>
<script>
/*
{licence}
*/
{library}
</script>
<script>
{script}
</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    raw = pkgutil.get_data("jaxfix.render", f"assets/{name}")
    assert raw is not None
    return raw.decode()


def _json(value: object) -> str:
    """JSON that no HTML parser takes for a tag, a comment or the end of a script."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _data(measurement: Measurement, rows: Iterable[Compiled]) -> dict[str, object]:
    numbers = {(row.where, row.program): number for number, row in enumerate(rows)}
    compiles = sorted(measurement.compiles, key=lambda entry: entry.at_s)
    return {
        "whys": [why.value for why, _ in _causes(measurement)],
        "colours": {why.value: name for why, name in COLOURS.items()},
        "compiles": [
            {
                "at": round(entry.at_s, 3),
                "seconds": round(entry.seconds, 4),
                "why": (entry.cause.why if entry.cause else Why.UNKNOWN).value,
                "words": entry.cause.words if entry.cause else "",
                "where": entry.where,
                "what": entry.program,
                "step": entry.step,
                "cached": entry.cached,
                "row": numbers[entry.where, entry.program],
            }
            for entry in compiles
        ],
        "steps": [
            {"number": number, "compiles": step.compiles, "rss": step.rss_bytes, "live": step.live_arrays}
            for step, number in zip(measurement.steps, measurement.step_numbers, strict=True)
        ],
    }


def _causes(measurement: Measurement) -> list[tuple[Why, int]]:
    """The kinds of causes, the most frequent first."""
    return Counter(entry.cause.why if entry.cause else Why.UNKNOWN for entry in measurement.compiles).most_common()


def _head(trace: Trace, command: str, rows: tuple[Compiled, ...]) -> str:
    measured = trace.measurement
    machine = measured.environment
    where = f"{_device(machine)}, jax {machine.jax}, Python {machine.python}" if machine else ""
    failed = f'<p class="warning">The program failed: {escape(measured.failure)}</p>' if measured.failure else ""
    lost, again = sum(row.lost_s for row in rows), sum(row.again for row in rows)
    cached = sum(row.cached for row in rows)
    number, noun = counted(sum(row.compiles for row in rows), "compile").split()
    tiles = [
        ("", number, f"{noun}, {cached} from the persistent cache" if cached else noun),
        ("", f"{sum(row.seconds for row in rows):.2f} s", "compiling"),
        ("lost" if again else "", f"{again}", "repeated"),
        ("lost" if again else "", f"{lost:.2f} s", "lost"),
    ]
    cells = "".join(f'<li class="{kind}"><b>{figure}</b> {words}</li>' for kind, figure, words in tiles)
    line = steps(measured).strip()
    lines = f"<p>{escape(line)}</p>" if line else ""
    return (
        f'<header class="top"><h1>Compiles of <code>{escape(command)}</code></h1>'
        f'<p class="soft">{escape(where)}</p>{failed}<ul class="tiles">{cells}</ul>{lines}</header>'
    )


def _device(machine: Environment) -> str:
    return machine.device if machine.device == machine.platform else f"{machine.device} ({machine.platform})"


def _timeline(measurement: Measurement) -> str:
    if not measurement.compiles:
        words = nothing(measurement)
        return f"<p>{words[0].upper()}{_words(words[1:])}.</p>"
    legend = "".join(
        f'<li><button type="button" aria-pressed="true" data-why="{escape(why.value)}">'
        f'<span class="dot" style="--c: var(--{COLOURS[why]})"></span>{escape(why.value)}: {number}</button></li>'
        for why, number in _causes(measurement)
    )
    return (
        '<section aria-labelledby="h-time"><h2 id="h-time">Compiles over time, by cause</h2>'
        '<p class="soft">Each dot is a compile. Arrow keys go from one to the next, Enter opens its place; '
        "drag to zoom, double click to zoom out.</p>"
        f'<ul class="legend" aria-label="causes">{legend}</ul>'
        '<div class="chart"><div class="plot" id="timeline" tabindex="0" role="application" '
        'aria-label="compiles over time"></div><p class="told soft" id="told" aria-live="polite"></p></div></section>'
    )


def _steps(measurement: Measurement) -> str:
    found = measurement.steps
    if not found:
        return ""
    where = f" of <code>{escape(measurement.where_steps)}</code>" if measurement.where_steps else ""
    charts = [("per-step", "compiles in each step"), ("rss", "resident memory, MB")]
    if all(step.live_arrays is not None for step in found):
        charts.append(("live", "live arrays"))
    drawn = "".join(
        f'<div class="chart"><h3>{title}<span id="{name}-told"></span></h3>'
        f'<div class="plot" id="{name}" role="img" aria-label="{title}"></div></div>'
        for name, title in charts
    )
    title = f"{counted(measurement.step_numbers[-1], 'step')}{where}"
    return f'<section aria-labelledby="h-steps"><h2 id="h-steps">{title}</h2>{drawn}</section>'


def _table(rows: tuple[Compiled, ...], cures: Cures) -> str:
    if not rows:
        return ""
    heads = "".join(
        f'<th scope="col" data-kind="{"number" if number < _NUMBERS else "text"}" '
        f'aria-sort="{"descending" if number == 0 else "none"}"><button type="button">{name}</button></th>'
        for number, name in enumerate(_HEADINGS)
    )
    body = "".join(_row(number, row, cures.get(row)) for number, row in enumerate(rows))
    return (
        '<section aria-labelledby="table"><h2 id="table">By line</h2>'
        '<div class="scroll" tabindex="0" role="region" aria-labelledby="table">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def _row(number: int, row: Compiled, cure: Cure | None) -> str:
    place = f'<a href="#place-{number}" class="mono">{escape(row.where)}</a>'
    cached = f" ({row.cached} cached)" if row.cached else ""
    why = (
        f'<span class="dot" style="--c: var(--{COLOURS[row.why]})"></span>{_words(row.cause.words)}'
        if row.cause
        else ""
    )
    cells = (
        ("number", f"{row.lost_s}", f"{row.lost_s:.2f}" if row.again else ""),
        ("number", f"{row.seconds}", f"{row.seconds:.2f}"),
        ("number", f"{row.compiles}", f"{row.compiles}{cached}"),
        ("where", row.where, place),
        ("what mono", row.program, escape(row.program)),
        ("why", row.cause.words if row.cause else "", why),
        ("cure mono", str(cure or ""), escape(str(cure)) if cure else ""),
    )
    return "<tr>{}</tr>".format(
        "".join(
            f'<td class="{kind}" data-label="{label}" data-value="{escape(value)}">{shown}</td>'
            for label, (kind, value, shown) in zip(_HEADINGS, cells, strict=True)
        )
    )


def _places(trace: Trace, rows: tuple[Compiled, ...], cures: Cures) -> str:
    if not rows:
        return ""
    found = "".join(_place(trace, number, row, cures.get(row)) for number, row in enumerate(rows))
    return f'<section aria-labelledby="h-places"><h2 id="h-places">Places, causes and callers</h2>{found}</section>'


def _place(trace: Trace, number: int, row: Compiled, cure: Cure | None) -> str:
    opened = " open" if number == 0 and row.again else ""
    lost = f", {row.lost_s:.2f} s lost" if row.again else ""
    facts = [("causes", _cause_list(row)), ("called from", _chain(row.chain))]
    if cure is not None:
        applied = " has a fix: <code>jaxfix apply</code>" if cure.fixable else " says what to do by hand"
        facts.append(("codemod", f"<code>jaxfix explain {escape(cure.id)}</code>{applied}"))
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts if value)
    return (
        f'<details id="place-{number}"{opened}><summary><code>{escape(row.where)}</code> '
        f'{escape(row.program)} <span class="soft">{counted(row.compiles, "compile")}, {row.seconds:.2f} s{lost}</span>'
        f"</summary><dl>{listed}</dl>{_snippet(trace, row)}</details>"
    )


def _cause_list(row: Compiled) -> str:
    shown = [f"<li>{_words(cause.words)}{_times(number)}</li>" for cause, number in row.causes[:_CAUSES]]
    left = len(row.causes) - _CAUSES
    if left > 0:
        shown.append(f"<li>and {counted(left, 'other')}</li>")
    return f'<ul class="causes">{"".join(shown)}</ul>' if shown else ""


def _words(text: str) -> str:
    """Words with code in backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _times(number: int) -> str:
    return f' <span class="soft">({number} times)</span>' if number > 1 else ""


def _chain(chain: Iterable[Place]) -> str:
    shown = "".join(
        f"<li><code>{escape(place.where)}</code> in <code>{escape(place.function)}</code></li>" for place in chain
    )
    return f'<ol class="chain">{shown}</ol>' if shown else ""


def _snippet(trace: Trace, row: Compiled) -> str:
    source, line = trace.sources.get(row.path), row.line
    if source is None or source.line(line, row.cell) is None:
        return ""
    spans = "".join(
        f"<span{' class=hit' if number == line else ''}><i>{number}</i>{escape(text)}</span>"
        for number in range(max(1, line - _AROUND), line + _AROUND + 1)
        if (text := source.line(number, row.cell)) is not None
    )
    return f'<pre tabindex="0" aria-label="source around line {line}">{spans}</pre>'
