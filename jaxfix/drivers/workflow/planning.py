"""Which fixes are taken, and why the others are held."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from jaxfix.drivers.workflow.consent import Mode
from jaxfix.drivers.workflow.looking import analysed
from jaxfix.drivers.workflow.targets import Target
from jaxfix.engine.plan import Accept, Edited, plan
from jaxfix.report.evidence import Evidence, Verdict
from jaxfix.report.finding import Fix, Safety
from jaxfix.report.reason import Code, Reason
from jaxfix.report.report import Patch
from jaxfix.source.errors import BugError
from jaxfix.source.frozen import frozen

Receipts = Mapping[tuple[str, str], Evidence]
"""The evidence by path and key of the fix."""
HINT = Reason(Code.HINT, "a hint, never written")
LEFT_OUT = Reason(Code.LEFT_OUT, "left out")
NO_EVIDENCE = Reason(Code.NO_EVIDENCE, "needs a rerun: `--prove` or `--run CMD`")
GUESS = Reason(Code.NO_EVIDENCE, "whether it pays depends on the callers: rerun with `--run CMD`")
NO_PROGRAM = Reason(Code.NO_EVIDENCE, "no program to rerun; name one with `--run`")
NOT_RUN = Reason(Code.NO_EVIDENCE, "needs a rerun: not run yet")
NOT_TRIED = Reason(Code.NO_EVIDENCE, "not tried: another fix of these lines was tried")
ANOTHER_NAME = Reason(
    Code.NO_EVIDENCE,
    "a rename, which code that catches the error or the warning may notice: "
    "`jaxfix upgrade --write` writes it, `--run CMD` proves it",
)
Taken = Callable[[Target], Accept]
"""What decides of each fix of a target: None takes it, else the reason why it is held."""
Own = Mapping[str, Edited]
"""What a person makes of some fixes instead, by the path of their target."""
_NOTHING: Own = MappingProxyType({})


@frozen
class Planned:
    """A target and what shall become of it."""

    target: Target
    patch: Patch


@frozen
class Plans:
    """The plan of every target; `bugs` are sentences about those that have none."""

    planned: tuple[Planned, ...]
    bugs: tuple[str, ...]

    @property
    def changed(self) -> tuple[Planned, ...]:
        return tuple(entry for entry in self.planned if entry.patch.before != entry.patch.after)


def plans(targets: Sequence[Target], taken: Taken, own: Own = _NOTHING) -> Plans:
    """Plans every target with the fixes that are `taken`, some of them as a person has edited them."""
    planned: list[Planned] = []
    bugs: list[str] = []
    for target in targets:
        try:
            edited = own.get(target.source.path, {})
            patch = plan(target.source, target.codemods, taken(target), target.surroundings, edited)
            planned.append(Planned(target, patch))
        except BugError as error:  # told with its file; the others go on
            bugs.append(str(error))
    return Plans(tuple(planned), tuple(bugs))


def whatever_can_be_written(target: Target) -> Accept:
    """Takes what a rerun can prove."""

    def reason(fix: Fix) -> Reason | None:
        return HINT if fix.safety is Safety.DISPLAY_ONLY else None

    return reason


def by_mode(
    mode: Mode, receipts: Receipts, target: Target, *, renames: bool = False, lacking: Reason = NO_PROGRAM
) -> Accept:
    """Takes what `mode` takes, and what `receipts` prove.

    Args:
      renames: take renames too.
      lacking: why a fix has no receipt where `mode` reruns programs.
    """
    pays = _seen(target) if mode is Mode.EVERYTHING else frozenset()

    def reason(fix: Fix) -> Reason | None:
        if fix.safety is Safety.DISPLAY_ONLY:
            return HINT
        if mode is Mode.EVERYTHING:
            return GUESS if fix.guess and fix.key not in pays else None
        receipt = receipts.get((target.source.path, fix.key))
        if receipt is not None and receipt.verdict is Verdict.PROVEN:
            return None
        if receipt is not None and (not fix.is_safe or receipt.verdict.is_refuted):
            return Reason(Code.NOT_PROVEN, f"{receipt.verdict.value}: {receipt.reason}")
        if fix.is_safe or (renames and fix.renames):
            return None
        if fix.renames:
            return ANOTHER_NAME
        return lacking if mode is Mode.RERUN else NO_EVIDENCE

    return reason


def _seen(target: Target) -> frozenset[str]:
    """The keys of the programs that a traced run compiled again."""
    if not target.seen:
        return frozenset()
    return frozenset(each.key for each in analysed(target).found if each.seen)
