"""What a run spent its time on, as sections of the page of a trace."""

import re
from html import escape

from jaxfix.render.trace import Cures, a_step, did, names, told
from jaxfix.report.measurement import Measurement, Spent
from jaxfix.report.trace.by_hand import todos
from jaxfix.report.trace.compiles import compiled
from jaxfix.report.trace.spending import shares

_HEADINGS = ("seconds", "times", "a step", "where", "what", "kind of work", "codemod")
_NUMBERS = 3
_LEAST_S = 0.05
"""Less is 0.0 s in words."""


def went_into(measurement: Measurement, cures: Cures) -> str:
    """A bar of where the time of the run went, and what to do by hand; empty where its length is unknown."""
    whole = shares(measurement, sum(row.lost_s for row in compiled(measurement.compiles)))
    if whole is None:
        return ""
    parts = [
        ("function", whole.compiling_s, "compiling"),
        ("static", whole.eager_s, "running programs one by one"),
        ("dtype", whole.read_s + whole.wait_s, "reading from the device"),
        ("shape", whole.put_s, "putting onto the device"),
        ("unknown", whole.rest_s, "the rest"),
    ]
    known = [(colour, seconds, words) for colour, seconds, words in parts if seconds >= _LEAST_S]
    bar = "".join(
        f'<span style="--c: var(--{colour}); flex-grow: {seconds:.4f}" title="{words}: {seconds:.1f} s"></span>'
        for colour, seconds, words in known
    )
    legend = "".join(
        f'<li><span class="dot" style="--c: var(--{colour})"></span>{words}: {seconds:.1f} s</li>'
        for colour, seconds, words in known
    )
    by_hand = "".join(f"<li>{_words(todo.words)}</li>" for todo in todos(measurement, cures))
    listed = f'<h3>By hand</h3><ul class="by-hand">{by_hand}</ul>' if by_hand else ""
    return (
        f'<section aria-labelledby="h-went"><h2 id="h-went">Where {whole.run_s:.1f} s went</h2>'
        f'<div class="shares" aria-hidden="true">{bar}</div><ul class="legend">{legend}</ul>{listed}</section>'
    )


def did_table(measurement: Measurement, cures: Cures) -> str:
    """What lines did beside compiling; empty where nothing is known of it."""
    rows = told(measurement)
    if not rows:
        return ""
    heads = "".join(
        f'<th scope="col" data-kind="{"number" if number < _NUMBERS else "text"}" '
        f'aria-sort="{"descending" if number == 0 else "none"}"><button type="button">{name}</button></th>'
        for number, name in enumerate(_HEADINGS)
    )
    body = "".join(_row(row, measurement, str(cures.get(row, ""))) for row in rows)
    return (
        '<section aria-labelledby="h-did"><h2 id="h-did">Other work, by line</h2>'
        '<div class="scroll" tabindex="0" role="region" aria-labelledby="h-did">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def _row(row: Spent, measurement: Measurement, cure: str) -> str:
    count, each = f"{row.count:,}" if row.count else "", a_step(row, measurement)
    cells = (
        ("number", f"{row.seconds}", f"{row.seconds:.2f}"),
        ("number", f"{row.count}", count),
        ("number", each.replace(",", "") or "0", each),
        ("where mono", row.where, escape(row.where)),
        ("what mono", names(row), escape(names(row))),
        ("why", did(row), escape(did(row))),
        ("cure mono", cure, escape(cure)),
    )
    return "<tr>{}</tr>".format(
        "".join(
            f'<td class="{kind}" data-label="{label}" data-value="{escape(value)}">{shown}</td>'
            for label, (kind, value, shown) in zip(_HEADINGS, cells, strict=True)
        )
    )


def _words(text: str) -> str:
    """Words with code in backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
