"""Which fixes are taken, and why the others are held."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from jaxfix.core.errors import BugError
from jaxfix.core.finding import Fix, Safety
from jaxfix.core.report import Evidence, Patch, Verdict
from jaxfix.drivers.cli.consent import Mode
from jaxfix.drivers.cli.targets import Target
from jaxfix.engine.plan import plan

Receipts = Mapping[tuple[str, str], Evidence]
"""The evidence by path and key of the fix."""
NO_EVIDENCE = "needs evidence: rerun with `--prove` or `--run CMD`"
NO_PROGRAM = "no program to rerun; name one with `--run`"
_REFUTED = (Verdict.DIFFERENT, Verdict.FAILED)


@dataclass(frozen=True, slots=True)
class Planned:
    """A target and what shall become of it."""

    target: Target
    patch: Patch


@dataclass(frozen=True, slots=True)
class Plans:
    """The plan of every target; `bugs` are sentences about those that have none."""

    planned: tuple[Planned, ...]
    bugs: tuple[str, ...]

    @property
    def changed(self) -> tuple[Planned, ...]:
        return tuple(entry for entry in self.planned if entry.patch.before != entry.patch.after)


def plans(targets: Sequence[Target], mode: Mode, receipts: Receipts) -> Plans:
    """Plans every target with the fixes that `mode` and `receipts` take."""
    planned: list[Planned] = []
    bugs: list[str] = []
    for target in targets:
        try:
            taken = accept(target, mode, receipts)
            planned.append(Planned(target, plan(target.source, target.codemods, taken, target.surroundings)))
        except BugError as error:  # told with its file; the others go on
            bugs.append(str(error))
    return Plans(tuple(planned), tuple(bugs))


def accept(target: Target, mode: Mode, receipts: Receipts) -> Callable[[Fix], str | None]:
    """Answers None for a fix that is taken, else the reason why it is held."""

    def reason(fix: Fix) -> str | None:
        if fix.safety is Safety.DISPLAY_ONLY:
            return "a hint, never written"
        if mode is Mode.EVERYTHING:
            return None
        receipt = receipts.get((target.source.path, fix.key))
        if receipt is not None and receipt.verdict is Verdict.PROVEN:
            return None
        if receipt is not None and (not fix.is_safe or receipt.verdict in _REFUTED):
            return f"{receipt.verdict.value}: {receipt.reason}"
        if fix.is_safe:
            return None
        return NO_PROGRAM if mode is Mode.RERUN else NO_EVIDENCE

    return reason
