"""How findings look in an editor: the one place that decides it."""

from lsprotocol import types

from jaxfix.drivers.lsp import pages
from jaxfix.drivers.lsp.settings import Settings
from jaxfix.render.seen import seen_in_words
from jaxfix.report.finding import Confidence, Safety
from jaxfix.report.report import Diagnostic

SOURCE = "jaxfix"
_LEVELS = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def severity(
    diagnostic: Diagnostic, settings: Settings, *, is_public: bool, is_known: bool
) -> types.DiagnosticSeverity | None:
    """How grave it is; None for what is not shown, such as what is only possible in code without callers.

    Args:
      is_public: whether it is installed code.
      is_known: whether a baseline knows it, and `jaxfix check` leaves it out.
    """
    if diagnostic.confidence is Confidence.POSSIBLE and not (settings.all or is_public):
        return None
    found = _LEVELS.get(settings.severity[diagnostic.confidence])
    return types.DiagnosticSeverity.Hint if found is not None and is_known else found


def is_preferred(safety: Safety, *, proven: bool) -> bool:
    """Whether an editor may take the fix unasked: it cannot be wrong, or a rerun has shown that it is not."""
    return safety is Safety.SAFE or proven


def message(diagnostic: Diagnostic, *, is_known: bool) -> str:
    """The message, what a run has seen of it, and the reason where there is no fix."""
    said = diagnostic.message
    if diagnostic.seen is not None:
        said += f" (seen: {seen_in_words(diagnostic.seen)} in the last trace)"
    if is_known:
        said += " (known to the baseline)"
    if diagnostic.declined is not None and not diagnostic.fixable:
        said += f"\nnot fixed by jaxfix: {diagnostic.declined}"
    return said


def title(name: str, safety: Safety, *, proven: bool) -> str:
    """The cure as a person chooses it: where nothing shows that results stay the same, it says so."""
    if safety is Safety.SAFE:
        return name
    return f"{name} ({'proven' if proven else 'unproven'})"


def tags(diagnostic: Diagnostic) -> list[types.DiagnosticTag]:
    """How its text is drawn beside being marked."""
    return [types.DiagnosticTag.Deprecated] if diagnostic.deprecated else []


def description(name: str) -> types.CodeDescription | None:
    """Where the id of a finding leads to."""
    url = pages.source(name)
    return types.CodeDescription(url) if url is not None else None
