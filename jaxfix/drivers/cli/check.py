"""`jaxfix check`: says what is found, and runs nothing."""

import sys
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from jaxfix.core.compiled import Compiled
from jaxfix.core.errors import SourceError
from jaxfix.core.finding import Confidence
from jaxfix.core.report import Diagnostic, Report
from jaxfix.core.source import SourceFile
from jaxfix.drivers import files
from jaxfix.drivers.cli import outcome, terminal
from jaxfix.drivers.cli.targets import Request, Target, targets
from jaxfix.engine.analyze import Analysis, analyze
from jaxfix.engine.seen import Sighting, moved
from jaxfix.render import json_report, text


@dataclass(frozen=True, slots=True)
class Findings:
    """What the codemods say of many targets; `errors` and `bugs` are sentences."""

    diagnostics: tuple[Diagnostic, ...]
    errors: tuple[str, ...]
    bugs: tuple[str, ...]

    def of(self, path: str) -> tuple[Diagnostic, ...]:
        """Those of one source."""
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.path == path)


def check(request: Request, output_format: str, *, everything: bool = False) -> int:
    """Prints the findings to stdout and the summary to stderr; returns the exit code.

    Args:
      everything: also what is only possible in the user's own code. What is installed is there for others to call, so
        of it both are shown.
    """
    looked_at = targets(request)
    found = look(looked_at.targets)
    errors = (*looked_at.errors, *found.errors)
    shown = found.diagnostics if everything else _expected(found.diagnostics, looked_at.targets)
    left = len(found.diagnostics) - len(shown)
    if output_format == "json":
        terminal.give(json_report.findings(from_here(Report(shown, errors)), not_shown=left).encode())
    else:
        terminal.give(text.findings(shown, terminal.paint_for(sys.stdout)).encode(errors="surrogateescape"))
        if looked_at.targets or not errors:
            paint = terminal.paint_for(sys.stderr)
            terminal.tell(text.check_summary(shown, len(looked_at.targets), paint, not_shown=left))
    for note in looked_at.notes:
        outcome.tell_note(note)
    outcome.tell_errors((*errors, *found.bugs))
    return outcome.exit_code(findings=bool(shown), errors=errors, bugs=found.bugs)


def _expected(found: Iterable[Diagnostic], looked_at: Iterable[Target]) -> tuple[Diagnostic, ...]:
    """Those that are told unasked."""
    public = {target.source.path for target in looked_at if target.module is not None}
    return tuple(entry for entry in found if entry.confidence is not Confidence.POSSIBLE or entry.path in public)


def from_here(report: Report) -> Report:
    """The report as a machine reads it: every path relative to where jaxfix runs, however long that is."""
    return replace(
        report,
        findings=tuple(replace(entry, path=files.relative(entry.path)) for entry in report.findings),
        patches=tuple(replace(entry, path=files.relative(entry.path)) for entry in report.patches),
        generated=tuple(replace(entry, path=files.relative(entry.path)) for entry in report.generated),
        evidence=tuple(replace(entry, path=files.relative(entry.path)) for entry in report.evidence),
    )


def look(wanted: Iterable[Target]) -> Findings:
    """Analyses every target; what cannot be parsed becomes an error, the rest goes on."""
    diagnostics: list[Diagnostic] = []
    errors: list[str] = []
    bugs: list[str] = []
    wanted = settled(tuple(wanted))
    with terminal.progress("looking", len(wanted)) as advance:
        for target in wanted:
            try:
                analysis = analysed(target)
                diagnostics += analysis.diagnostics
                bugs += analysis.bugs
            except SourceError as error:
                errors.append(str(error))
            advance(target.source.path)
    return Findings(tuple(diagnostics), tuple(errors), tuple(bugs))


def analysed(target: Target) -> Analysis:
    """What the codemods find in the target, with all that is known of it.

    Raises:
      SourceError: it is not valid Python.
    """
    return analyze(target.source, target.codemods, seen=target.seen, surroundings=target.surroundings)


def settled(wanted: Sequence[Target]) -> tuple[Target, ...]:
    """The targets, told of what a finding of any of them explains: no other file is to report it again."""
    explained: set[Compiled] = set()
    for target in wanted:
        if target.seen:
            with suppress(SourceError):  # told by whoever looks at it in earnest
                explained |= analysed(target).explained
    return tuple(replace(target, seen=_told(target.seen, explained)) for target in wanted)


def reread(target: Target, source: SourceFile) -> Target:
    """The target with another text: what a run saw of the old one is told of the same lines of the new one."""
    return replace(target, source=source, seen=moved(target.seen, target.source, source))


def _told(seen: Iterable[Sighting], explained: Container[Compiled]) -> tuple[Sighting, ...]:
    return tuple(replace(sighting, is_told=sighting.is_told or sighting.origin in explained) for sighting in seen)
