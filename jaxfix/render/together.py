"""What all proven fixes do together, as a table."""

from collections.abc import Sequence

from jaxfix.render.paint import Paint
from jaxfix.report.evidence import Comparison

_HEADINGS = ("all proven fixes together", "compiles per step", "compiles in all")


def together(comparisons: Sequence[Comparison], paint: Paint) -> str:
    """One line per case that compiles less; nothing for a single case, of which the receipts say the same."""
    rows = [_row(entry) for entry in sorted(comparisons, key=lambda entry: entry.case) if _gains(entry)]
    if len(rows) < 2:
        return ""
    widths = [max(len(row[column]) for row in (_HEADINGS, *rows)) for column in range(len(_HEADINGS))]
    head, *body = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in (_HEADINGS, *rows))
    return "\n".join(("", paint("bold", head), *body, ""))


def _row(entry: Comparison) -> tuple[str, str, str]:
    before, after = entry.before, entry.after
    steady = f"{before.steady_compiles} -> {after.steady_compiles}"
    return entry.case, steady, f"{before.compiles} -> {after.compiles}"


def _gains(entry: Comparison) -> bool:
    before, after = entry.before, entry.after
    return (after.steady_compiles, after.compiles) < (before.steady_compiles, before.compiles)
