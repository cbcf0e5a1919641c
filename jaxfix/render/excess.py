"""What compiled more often than allowed, in one line each."""

from collections.abc import Iterable, Mapping

from jaxfix.render.paint import Paint, plain, printable
from jaxfix.render.paint import counted as number_of
from jaxfix.render.trace import Cure
from jaxfix.report.trace.budget import Counted, Limits, excess
from jaxfix.source.frozen import frozen

Cures = Mapping[tuple[str, str], Cure]
"""By the line and the program that a finding explains."""


@frozen
class Verdict:
    """Compiles, and what was allowed of them."""

    found: tuple[Counted, ...]
    limits: Limits

    @property
    def total(self) -> int:
        return sum(entry.whole.compiles for entry in self.found)

    @property
    def excess(self) -> tuple[Counted, ...]:
        return excess(self.found, self.limits.each)

    @property
    def is_too_much(self) -> bool:
        return self.limits.total is not None and self.total > self.limits.total

    @property
    def passed(self) -> bool:
        return not self.excess and not self.is_too_much


def lines(verdict: Verdict, cures: Cures, paint: Paint = plain) -> Iterable[str]:
    """A line for each function that compiled too often, then one if everything together did."""
    allowed = verdict.limits.each
    for entry in verdict.excess:
        assert allowed is not None
        yield _line(entry, allowed, cures, paint)
    if verdict.is_too_much and verdict.limits.total is not None:
        yield f"{paint('bold', number_of(verdict.total, 'compile'))} in all, allowed {verdict.limits.total}"


def summary(verdict: Verdict, paint: Paint = plain) -> str:
    """Whether it was too much, in one line."""
    each, wrong = verdict.limits.each, len(verdict.excess)
    if wrong and each is not None:
        often = f" more than {_times(each)}" if each else ""
        told = f"{number_of(wrong, 'function')} of {len(verdict.found)} compiled{often}"
    elif verdict.is_too_much:
        told = f"more than {number_of(verdict.limits.total or 0, 'compile')} in all"
    elif verdict.found and each is not None:
        most = _times(verdict.found[0].compiles)
        told = f"{number_of(len(verdict.found), 'function')}, none compiled more than {most}"
    else:
        told = f"{number_of(verdict.total, 'compile')} in all" if verdict.total else "nothing that counts was compiled"
    return f"{paint('green', 'passed') if verdict.passed else paint('bold red', 'failed')}: {told}\n"


def document(verdict: Verdict, cures: Cures) -> dict[str, object]:
    """The verdict for a program."""
    return {
        "format": "jaxfix gate",
        "schema": 1,
        "passed": verdict.passed,
        "max_compiles": verdict.limits.each,
        "max_total": verdict.limits.total,
        "total": verdict.total,
        "functions": len(verdict.found),
        "excess": [_entry(entry, cures) for entry in verdict.excess],
    }


def _line(entry: Counted, allowed: int, cures: Cures, paint: Paint) -> str:
    """`train.py:12: `scan` compiled 20 times, allowed once: shape of `x` differs; codemod: local-loop-function [*]`."""
    whole = entry.whole
    why = f": {whole.cause.words}" if whole.cause is not None and whole.again else ""
    cure = _cure(entry, cures)
    cured = f"; codemod: {paint('cyan', str(cure))}" if cure is not None else ""
    told = printable(" ".join(f"compiled {_times(entry.compiles)}, allowed {_times(allowed)}{why}".split()))
    return f"{paint('bold', printable(whole.where))}: {paint('bold red', f'`{printable(entry.name)}`')} {told}{cured}"


def _entry(entry: Counted, cures: Cures) -> dict[str, object]:
    whole = entry.whole
    cure = _cure(entry, cures)
    return {
        "name": entry.name,
        "path": whole.path,
        "line": whole.line,
        "cell": whole.cell,
        "program": whole.program,
        "compiles": entry.compiles,
        "seconds": whole.seconds,
        "why": whole.why.value,
        "words": whole.cause.words if whole.cause is not None else None,
        "cure": cure.id if cure is not None else None,
        "fixable": cure is not None and cure.fixable,
    }


def _cure(entry: Counted, cures: Cures) -> Cure | None:
    return next((cures[row] for row in entry.rows if row in cures), None)


def _times(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")
