"""One line per fix that was tried: what the rerun showed."""

import textwrap
from collections import Counter

from jaxfix.render.paint import Paint
from jaxfix.report.evidence import (
    DATA,
    DISPATCHES,
    DONATED,
    KEYS,
    READS,
    SIZE,
    TEMPORARY,
    Comparison,
    Evidence,
    Verdict,
)
from jaxfix.report.measurement import Environment

PEAK = "peak memory"
_TOLD = (PEAK, DONATED, SIZE, READS, DATA, TEMPORARY, KEYS, DISPATCHES)
"""How the reasons begin that are not about compiles."""
_INDENT = " " * 8
_INDENT_WIDTH = len(_INDENT)
_MEGABYTE = 1_000_000
_NOTICEABLE_BYTES = 50_000
_NOTICEABLE_S = 0.05


def receipt(evidence: Evidence, paint: Paint, width: int | None = None, more: str = "") -> str:
    """The line of one fix; its first word is the verdict, and `more` is what it ends with.

    What does not fit into `width` columns goes on, indented.
    """
    verdict, place = evidence.verdict.value, evidence.where
    story = told(evidence) + more
    head = f"{verdict}  {evidence.codemod}  {place}  "
    if width is not None and len(head) + len(story) > width:
        story = f"\n{_folded(story, width)}"
    return _line(evidence, paint, story).replace("  \n", "\n")


def brief(evidence: Evidence, paint: Paint, width: int | None = None) -> str:
    """The verdict as it is known, in one line of at most `width` columns; `receipt` follows at the end."""
    shown = _telling(evidence)
    reason = shown.reason if shown is not None and evidence.verdict is Verdict.PROVEN else evidence.reason
    head = f"{evidence.verdict.value}  {evidence.codemod}  {evidence.where}  "
    room = max(_INDENT_WIDTH, width - len(head)) if width is not None else None
    said = reason if room is None or len(reason) <= room else f"{reason[: room - 3].rstrip()}..."
    return _line(evidence, paint, said)


def _line(evidence: Evidence, paint: Paint, said: str) -> str:
    style = "bold green" if evidence.verdict is Verdict.PROVEN else "yellow"
    return f"{paint(style, evidence.verdict.value)}  {evidence.codemod}  {paint('bold', evidence.where)}  {said}\n"


def told(evidence: Evidence) -> str:
    """What the rerun showed: figures, results, case and machine, or the reason why there is nothing to show."""
    shown = _telling(evidence)
    if shown is None or evidence.verdict is not Verdict.PROVEN:
        case = None if shown is None or shown.case in evidence.reason else shown.case
        return f"{evidence.reason}{_where(evidence, case)}"
    more = f"; {_more(evidence)}" if len(evidence.comparisons) > 1 else ""
    untried = f"; not tried: {', '.join(shown.untried)}" if shown.untried else ""
    return f"{figures(shown)}{_where(evidence, shown.case)}{more}{untried}"


def figures(comparison: Comparison) -> str:
    """What changed and what did not, such as `compiles per step 1 -> 0, total 35 -> 16, bitwise equal`."""
    if comparison.cured:
        return f"{comparison.reason}, {comparison.equality}"
    before, after = comparison.before, comparison.after
    parts = [comparison.reason] if comparison.reason.startswith(_TOLD) else []
    if before.steady_compiles or after.steady_compiles:
        parts.append(f"compiles per step {before.steady_compiles} -> {after.steady_compiles}")
        parts.append(f"total {before.compiles} -> {after.compiles}")
    else:
        parts.append(f"compiles {before.compiles} -> {after.compiles}")
    if comparison.narrow:
        parts[0] = f"in its own lines {parts[0]}"
    elif before.seconds - after.seconds >= _NOTICEABLE_S:
        parts.append(f"{before.seconds - after.seconds:.1f} s less compiling")
    is_noticeable = max(abs(before.rss_bytes), abs(after.rss_bytes)) >= _NOTICEABLE_BYTES
    if is_noticeable and not comparison.narrow:  # memory is of the whole process
        parts.append(f"RSS per step {_megabytes(before.rss_bytes)} -> {_megabytes(after.rss_bytes)} MB")
    parts.append(comparison.equality)
    return ", ".join(parts)


def _folded(text: str, width: int) -> str:
    return textwrap.fill(
        text, width, initial_indent=_INDENT, subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False
    )


def _telling(evidence: Evidence) -> Comparison | None:
    """The comparison that shows most: one with the verdict of the whole, and the largest drop; float32 before less."""
    same = [entry for entry in evidence.comparisons if entry.verdict is evidence.verdict] or evidence.comparisons
    return max(same, key=_drop, default=None)


def _drop(comparison: Comparison) -> tuple[int, bool, int]:
    before, after = comparison.before, comparison.after
    is_plain = "bfloat16" not in comparison.case
    return before.steady_compiles - after.steady_compiles, is_plain, before.compiles - after.compiles


def _where(evidence: Evidence, case: str | None) -> str:
    parts = [case] if case else []
    if evidence.environment is not None:
        parts += _machine(evidence.environment)
    return f" ({', '.join(parts)})" if parts else ""


def _machine(environment: Environment) -> list[str]:
    return [environment.platform, f"jax {environment.jax}"]


def _more(evidence: Evidence) -> str:
    """How many cases say what, and what some cost: `4 cases: 2 proven, 2 no effect; up to 2 more at the start of 2`."""
    verdicts = Counter(entry.verdict.value for entry in evidence.comparisons)
    said = ", ".join(f"{number} {word}" for word, number in verdicts.most_common())
    costs = [cost for entry in evidence.comparisons if (cost := entry.after.compiles - entry.before.compiles) > 0]
    starts = f"; up to {max(costs)} more at the start of {len(costs)}" if costs else ""
    return f"{len(evidence.comparisons)} cases: {said}{starts}"


def _megabytes(size: float) -> str:
    rounded = f"{size / _MEGABYTE:.1f}"
    return "0.0" if rounded == "-0.0" else rounded
