"""What a change that changes no function shows: whether the run as a whole differs."""

from collections.abc import Mapping

from jaxfix.evidence import effects
from jaxfix.evidence.outputs import Allowed
from jaxfix.evidence.reusing import Reusing
from jaxfix.evidence.verdict import Pair, runs_agree
from jaxfix.report.evidence import Verdict
from jaxfix.report.measurement import Measurement

ALIKE = "the run shows no difference, and the change changes no function that is there without it"


def whole(runner: Reusing, after: Mapping[str, bytes | None]) -> tuple[Verdict, str, Measurement]:
    """What two runs say that differ by `after`, why, and the run without it.

    Raises:
      EvidenceError: the program cannot be run.
    """
    (before,) = runner.measure({})
    if before.failure is not None:
        return Verdict.FAILED, before.failure, before
    (second,), (changed,) = runner.measure({}), runner.measure(after, beside=False)
    if changed.failure is not None:
        return Verdict.FAILED, f"fails with the change: {changed.failure}", before
    pair = Pair.of(before, changed, None, effects.noise(before, second))
    difference = runs_agree(pair, Allowed(), as_jitted=False).difference
    return (Verdict.NOT_COMPARED, ALIKE, before) if difference is None else (Verdict.DIFFERENT, difference, before)
