"""Keeps what reruns have shown by the time that Ctrl-C or a lost connection ends them."""

from collections.abc import Sequence

from jaxfix.drivers.workflow import recording
from jaxfix.drivers.workflow.planning import Planned, Receipts
from jaxfix.drivers.workflow.proof import Rerun
from jaxfix.drivers.workflow.session import Salvage
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.render.paint import counted
from jaxfix.report.evidence import Verdict


def salvaging(rerun: Rerun, watcher: Watcher) -> Salvage:
    """What keeps the receipts of a proof that does not come to its end, and says so."""

    def salvage(planned: Sequence[Planned], receipts: Receipts) -> None:
        recording.keep(planned, receipts, {}, rerun, watcher)
        watcher.note(
            f"{standing(planned, receipts)}; that is kept: `jaxfix receipts` lists it, "
            "`jaxfix apply --interactive` shows it, and the next proof continues from there"
        )

    return salvage


def standing(planned: Sequence[Planned], receipts: Receipts) -> str:
    """How far the proof has come, in words."""
    fixes = sum(len(entry.patch.applied) for entry in planned)
    proven = sum(evidence.verdict is Verdict.PROVEN for evidence in receipts.values())
    return f"the proof was ended: {len(receipts)} of {counted(fixes, 'fix')} judged by then, {proven} proven"
