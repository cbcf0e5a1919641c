"""One line for each fix of a file, in a diff: what applies diffs reads over it."""

from jaxfix.render.account import Known
from jaxfix.render.paint import named, printable
from jaxfix.render.receipts import told
from jaxfix.report.evidence import Verdict
from jaxfix.report.finding import Fix, Safety

MARK = "# "
_UNSHOWN = {
    Safety.SAFE: "safe",
    Safety.NEEDS_EVIDENCE: "unproven",
    Safety.ON_REQUEST: "unproven",
    Safety.DISPLAY_ONLY: "a hint",
}

_WAITS = "waits for the program, which fails without any fix"
"""Its last lines are reported once."""


def heading(path: str) -> str:
    """The line above the remarks of a file that the diff leaves unchanged."""
    return f"{MARK}{named(path)}: nothing is changed\n"


def remark(place: str | None, fix: Fix, held: str | None, known: Known | None) -> str:
    """What the fix is, then what reruns have shown of it, why it is held, or whether it is safe."""
    words = [f"{MARK}{'fixed' if held is None else 'held'}  {fix.codemod}"]
    words += [named(place)] if place is not None else []
    words += [printable(fix.title)]
    shown = None if known is None else _WAITS if _waits(known) else shown_of(known)
    words += [shown] if shown is not None else []
    words += [printable(held)] if held is not None and not _says(shown, held) else []
    unshown = "a rename" if fix.renames else _UNSHOWN[fix.safety]
    words += [unshown] if held is None and shown is None else []
    return f"{'  '.join(words)}\n"


def shown_of(known: Known) -> str:
    """What a rerun has shown, when, and whether that still holds."""
    verdict = f"{known.evidence.verdict.value}: {told(known.evidence)}"
    if known.when is None:
        return printable(verdict)
    expired = f"; expired: {', '.join(known.expired)}" if known.expired else ""
    return printable(f"a rerun of {known.when[:10]} showed {verdict}{expired}")


def _waits(known: Known) -> bool:
    """Whether this run has shown that the program itself fails."""
    return known.when is None and known.evidence.verdict is Verdict.FAILED and not known.evidence.comparisons


def _says(shown: str | None, held: str) -> bool:
    """Whether the reason is in what the rerun has shown."""
    return shown is not None and (shown == _WAITS or shown.startswith(printable(held)))
