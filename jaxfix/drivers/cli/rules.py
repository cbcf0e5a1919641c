"""`jaxfix rules`: the codemods, one line each."""

from jaxfix import docs
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.engine.registry import load_registry
from jaxfix.report.finding import Safety
from jaxfix.semantic.codemod import Codemod

_SAFETIES = {
    Safety.SAFE: "safe, or needs a rerun",
    Safety.NEEDS_EVIDENCE: "needs a rerun",
    Safety.ON_REQUEST: "on request",
    Safety.DISPLAY_ONLY: "a hint",
}


def rules() -> int:
    """Prints id, the safety of the fix, and summary to stdout."""
    registry = load_registry()
    rows = [(codemod.id, _fix(codemod), docs.page(codemod).summary) for codemod in registry.codemods]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for name, safety, summary in rows:
        terminal.give(f"{name:{widths[0]}}  {safety:{widths[1]}}  {' '.join(summary.split())}\n".encode())
    errors = [str(failure) for failure in registry.failures]
    outcome.tell_errors(errors)
    return outcome.exit_code(findings=False, errors=errors, bugs=())


def _fix(codemod: Codemod) -> str:
    """The safety of its fixes, if it has any."""
    return _SAFETIES[codemod.safety] if codemod.rewrites else "report only"
