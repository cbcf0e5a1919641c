"""What the prover says of a rewrite, and what the proof costs."""

import os
import resource
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rounding.programs import Rewrite
from jaxfix.evidence.program import ProgramRunner
from jaxfix.evidence.prove import prove
from jaxfix.report.evidence import Level, Verdict
from jaxfix.report.finding import Fix, Safety
from jaxfix.report.measurement import Measurement
from jaxfix.source.edits import Edit, Span


@dataclass(frozen=True, slots=True)
class Proof:
    """What was said of a rewrite.

    Attributes:
      multiple: the processor time of the proof, in runs of the unchanged program.
    """

    rewrite: Rewrite
    verdict: Verdict
    reason: str
    equality: str
    multiple: float
    device: str
    level: Level | None

    @property
    def is_expected(self) -> bool:
        return (self.verdict is Verdict.PROVEN) is self.rewrite.is_right


class Timed(ProgramRunner):
    """A runner that counts the processor time of its runs."""

    def measure(
        self,
        sources: Mapping[str, bytes],
        cases: frozenset[str] | None = None,
        *,
        beside: bool = True,
        again: bool = False,
    ) -> tuple[Measurement, ...]:
        began = _seconds()
        found = super().measure(sources, cases, beside=beside, again=again)
        self.spent = [*getattr(self, "spent", []), _seconds() - began]
        return found

    @property
    def multiple(self) -> float:
        """The processor time of all runs, in runs of the unchanged program."""
        spent: list[float] = getattr(self, "spent", [])
        return sum(spent) / spent[0] if spent else 0.0


def judge(rewrite: Rewrite) -> Proof:
    """What the prover says of the rewrite, as if a codemod had made it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "train.py").write_text(rewrite.source)
        runner = Timed(Path(folder), f"{sys.executable} train.py", [("train.py", rewrite.function)])
        whole = Edit(Span(0, len(rewrite.source.encode())), rewrite.rewritten)
        promise = Safety.NEEDS_EVIDENCE, rewrite.equality
        fix = Fix("key", "codemod", "Rewrite", whole.span, (whole,), *promise, None, rewrite.function)

        def patched(fixes: frozenset[tuple[str, str]]) -> Mapping[str, bytes]:
            return {"train.py": rewrite.rewritten.encode()} if fixes else {}

        (receipt,) = prove([("train.py", fix, 1)], patched, runner, lambda phrase: None).receipts
        reason = receipt.reason.replace(f"{runner.command}: ", "").replace(f"{Path(folder).resolve()}{os.sep}", "")
    equality = receipt.comparisons[0].equality if receipt.comparisons else ""
    where = receipt.environment
    device = f"{where.device}, jax {where.jax}" if where else ""
    level = next((entry.level for entry in receipt.comparisons if entry.level), None)
    return Proof(rewrite, receipt.verdict, reason, equality, runner.multiple, device, level)


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
