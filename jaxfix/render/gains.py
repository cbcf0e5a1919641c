"""The seconds that an `apply` saved: one line for each large cost, and the remaining remedies by hand."""

from collections.abc import Iterator

from jaxfix.render.paint import Paint, printable
from jaxfix.report.trace.gains import Gain, Went


def gains(went: Went | None, paint: Paint) -> str:
    """The lines, the largest gain first; nothing where no program was rerun."""
    return "".join(_lines(went, paint)) if went is not None else ""


def _lines(went: Went, paint: Paint) -> Iterator[str]:
    for gain in went.gains:
        now = f"now {gain.now_s:.1f} of {went.now_s:.1f} s" if went.now_s is not None else ""
        yield f"of {went.run_s:.1f} s, {gain.seconds:.1f} s were {_what(gain)}; {paint('green', now)}\n"
    for words in went.by_hand:
        yield f"{paint('bold cyan', 'by hand')}: {printable(' '.join(words.split()))}\n"


def _what(gain: Gain) -> str:
    place = printable(gain.where)
    return (
        f"{gain.what} in `{printable(gain.function)}` ({place})"
        if gain.function != "<module>"
        else f"{gain.what} at {place}"
    )
