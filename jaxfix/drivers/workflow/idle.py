"""Fixes of code that fixes have written, which a rerun has shown to gain nothing."""

from dataclasses import replace

from jaxfix.drivers.workflow.looking import Findings
from jaxfix.drivers.workflow.planning import Planned, Plans, Receipts
from jaxfix.report.evidence import Verdict


def without_idle(planned: Plans, remaining: Findings, before: Findings, receipts: Receipts) -> tuple[Plans, Findings]:
    """The plans and the findings that remain, without such fixes: nobody is charged with what jaxfix wrote.

    Args:
      before: the findings of the code that its author wrote.
    """
    known = {(each.path, each.key) for each in before.diagnostics}
    idle = {name for name, receipt in receipts.items() if receipt.verdict is Verdict.NO_EFFECT} - known
    left = tuple(each for each in remaining.diagnostics if (each.path, each.key) not in idle)
    entries = tuple(_without(entry, idle) for entry in planned.planned)
    return replace(planned, planned=entries), replace(remaining, diagnostics=left)


def _without(entry: Planned, idle: set[tuple[str, str]]) -> Planned:
    held = tuple(each for each in entry.patch.held if (entry.patch.path, each.fix.key) not in idle)
    return replace(entry, patch=replace(entry.patch, held=held))
