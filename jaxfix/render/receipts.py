"""One line per fix that was tried: what the rerun showed."""

from jaxfix.core.report import Comparison, Environment, Evidence, Verdict
from jaxfix.render.paint import Paint

_MEGABYTE = 1_000_000
_NOTICEABLE_BYTES = 50_000


def receipt(evidence: Evidence, paint: Paint) -> str:
    """The line of one fix; its first word is the verdict."""
    word = paint("bold green" if evidence.verdict is Verdict.PROVEN else "yellow", evidence.verdict.value)
    place = paint("bold", f"{evidence.path}:{evidence.line}")
    shown = _telling(evidence)
    if shown is None or evidence.verdict is not Verdict.PROVEN:
        case = None if shown is None or shown.case in evidence.reason else shown.case
        return f"{word}  {evidence.codemod}  {place}  {evidence.reason}{_where(evidence, case)}\n"
    more = f"; {_more(evidence)}" if len(evidence.comparisons) > 1 else ""
    return f"{word}  {evidence.codemod}  {place}  {figures(shown)}{_where(evidence, shown.case)}{more}\n"


def figures(comparison: Comparison) -> str:
    """What changed and what did not, such as `compiles per step 1 -> 0, total 35 -> 16, bitwise equal`."""
    before, after = comparison.before, comparison.after
    parts = []
    if before.steady_compiles or after.steady_compiles:
        parts.append(f"compiles per step {before.steady_compiles} -> {after.steady_compiles}")
        parts.append(f"total {before.compiles} -> {after.compiles}")
    else:
        parts.append(f"compiles {before.compiles} -> {after.compiles}")
    if max(abs(before.rss_bytes), abs(after.rss_bytes)) >= _NOTICEABLE_BYTES:
        parts.append(f"RSS per step {_megabytes(before.rss_bytes)} -> {_megabytes(after.rss_bytes)} MB")
    parts.append(comparison.equality)
    return ", ".join(parts)


def _telling(evidence: Evidence) -> Comparison | None:
    """The comparison that shows most: one with the verdict of the whole, and the largest drop."""
    same = [entry for entry in evidence.comparisons if entry.verdict is evidence.verdict] or evidence.comparisons
    return max(same, key=_drop, default=None)


def _drop(comparison: Comparison) -> tuple[int, int]:
    before, after = comparison.before, comparison.after
    return before.steady_compiles - after.steady_compiles, before.compiles - after.compiles


def _where(evidence: Evidence, case: str | None) -> str:
    parts = [case] if case else []
    if evidence.environment is not None:
        parts += _machine(evidence.environment)
    return f" ({', '.join(parts)})" if parts else ""


def _machine(environment: Environment) -> list[str]:
    return [environment.platform, f"jax {environment.jax}"]


def _more(evidence: Evidence) -> str:
    cases = evidence.comparisons
    proven = sum(entry.verdict is Verdict.PROVEN for entry in cases)
    return f"proven in {proven} of {len(cases)} cases"


def _megabytes(size: float) -> str:
    rounded = f"{size / _MEGABYTE:.1f}"
    return "0.0" if rounded == "-0.0" else rounded
