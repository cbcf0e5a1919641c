"""What was shown of a change that others have made: a line for each function, then one for the whole."""

from collections.abc import Iterator

from jaxfix.render.paint import Paint, printable
from jaxfix.render.receipts import receipt
from jaxfix.report.change import Apart, Proven, Uncompared
from jaxfix.report.evidence import Verdict

_NOTICEABLE_S = 0.05


def proven(found: Proven, paint: Paint, width: int | None = None) -> str:
    """The receipts, what is not compared by itself, and the verdict."""
    return "".join(_lines(found, paint, width))


def _lines(found: Proven, paint: Paint, width: int | None) -> Iterator[str]:
    for entry in found.evidence:
        yield receipt(entry, paint, width, f"; in `{printable(entry.key.partition(':')[2])}`")
    for apart in found.uncompared:
        yield f"{paint('yellow', 'not compared')}  {_what(apart)}\n"
    style = "bold green" if found.verdict is Verdict.PROVEN else "bold red" if found.verdict.is_refuted else "yellow"
    yield f"{paint(style, f'the change: {_verdict(found)}')}{_figures(found)}\n"


def _what(apart: Uncompared) -> str:
    place = printable(apart.path)
    if apart.name is None:
        ran = ", in place in the run with the change" if apart.why is Apart.FILE else ""
        return f"{place}  ({apart.why.value}{ran})"
    now = f" to `{printable(apart.now)}`" if apart.now is not None else ""
    return f"{place}  `{printable(apart.name)}`  ({apart.why.value}{now})"


def _verdict(found: Proven) -> str:
    if found.verdict is Verdict.PROVEN and found.level is not None:
        return f"proven, {found.level.value}"
    return f"{found.verdict.value}: {printable(found.reason)}"


def _figures(found: Proven) -> str:
    before, after = found.before, found.after
    if before is None or after is None:
        return ""
    parts = [f"compiles {before.compiles} -> {after.compiles}"]
    if before.steady_compiles or after.steady_compiles:
        parts.append(f"per step {before.steady_compiles} -> {after.steady_compiles}")
    gained = before.seconds - after.seconds
    if abs(gained) >= _NOTICEABLE_S:
        parts.append(f"{abs(gained):.1f} s {'less' if gained > 0 else 'more'} compiling")
    parts.append(f"peak memory {before.peak_bytes / 1e6:.0f} -> {after.peak_bytes / 1e6:.0f} MB")
    return f"; {', '.join(parts)}"
