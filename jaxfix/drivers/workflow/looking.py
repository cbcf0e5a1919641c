"""Runs the codemods on all targets."""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from jaxfix.drivers import files
from jaxfix.drivers.workers import Crew
from jaxfix.drivers.workflow.targets import Target, Targets
from jaxfix.drivers.workflow.watching import Watcher
from jaxfix.engine.analyze import Analysis, analyze
from jaxfix.engine.holding import surroundings_after
from jaxfix.engine.memory import Memory
from jaxfix.engine.project import joined
from jaxfix.engine.seen import Sighting, moved
from jaxfix.engine.survey import survey
from jaxfix.engine.unit import Unit
from jaxfix.report.report import Diagnostic, Report
from jaxfix.report.trace.compiles import Compiled
from jaxfix.semantic.project.project import Project
from jaxfix.semantic.project.rebinding import Around
from jaxfix.source.errors import SourceError
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile


@frozen
class Findings:
    """What the codemods say of many targets; `errors` and `bugs` are sentences."""

    diagnostics: tuple[Diagnostic, ...]
    errors: tuple[str, ...]
    bugs: tuple[str, ...]

    def of(self, path: str) -> tuple[Diagnostic, ...]:
        """Those of one source."""
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.path == path)


@frozen
class Looked:
    """What was analysed, each target with answers about the others, and what was found."""

    targets: tuple[Target, ...]
    findings: Findings


def look(looked_at: Targets, watcher: Watcher, memory: Memory | None = None) -> Looked:
    """Analyses every target; what cannot be parsed becomes an error, the rest goes on.

    Args:
      memory: what was found before, of targets that no trace has seen.
    """
    targets = looked_at.targets
    if any(target.seen or target.surroundings.is_seen for target in targets):
        told = settled(informed(targets))
        return Looked(told, look_again(told, watcher))
    units = [Unit(target.source, target.codemods, target.surroundings) for target in targets]
    with Crew() as crew, watcher.progress("looking", len(units)) as advance:
        found = survey(units, advance, crew, is_complete=looked_at.is_complete, memory=memory, around=_around(targets))
    diagnostics = (diagnostic for look in found.looks for diagnostic in look.diagnostics)
    errors = (look.error for look in found.looks if look.error is not None)
    bugs = (bug for look in found.looks for bug in look.bugs)
    return Looked(_of(targets, found.project), Findings(tuple(diagnostics), tuple(errors), tuple(dict.fromkeys(bugs))))


def look_again(targets: Sequence[Target], watcher: Watcher) -> Findings:
    """As `look`, at targets that know the others already."""
    diagnostics: list[Diagnostic] = []
    errors: list[str] = []
    bugs: list[str] = []
    with watcher.progress("looking", len(targets)) as advance:
        for target in targets:
            try:
                analysis = analysed(target)
                diagnostics += _shared(analysis.diagnostics, target.run_s)
                bugs += analysis.bugs
            except SourceError as error:
                errors.append(str(error))
            advance(target.source.path)
    diagnostics.sort(key=lambda diagnostic: -diagnostic.seen.seconds if diagnostic.seen else 0.0)
    return Findings(tuple(diagnostics), tuple(errors), tuple(bugs))


def _shared(diagnostics: Iterable[Diagnostic], run_s: float) -> Iterator[Diagnostic]:
    """The findings, each with the share of the run that has seen it."""
    for each in diagnostics:
        if each.seen is None or run_s <= 0:
            yield each
        else:
            yield replace(each, seen=replace(each.seen, share=each.seen.seconds / run_s))


def informed(targets: Sequence[Target]) -> tuple[Target, ...]:
    """The targets, with answers about the other files."""
    return _of(targets, joined([(target.source, target.surroundings) for target in targets], _around(targets)))


def _around(targets: Iterable[Target]) -> Around | None:
    """The files of the project that are not targets."""
    return next((target.around for target in targets if target.around is not None), None)


def _of(targets: Iterable[Target], project: Project) -> tuple[Target, ...]:
    return tuple(replace(t, surroundings=replace(t.surroundings, project=project)) for t in targets)


def analysed(target: Target) -> Analysis:
    """What the codemods find in the target, with all that is known of it.

    Raises:
      SourceError: it is not valid Python.
    """
    return analyze(target.source, target.codemods, (), target.seen, target.surroundings)


def settled(targets: Sequence[Target]) -> tuple[Target, ...]:
    """The targets, with what a finding of any of them explains: no other file reports it again."""
    explained: set[Compiled] = set()
    for target in targets:
        if target.seen:
            with suppress(SourceError):  # reported by the analysis itself
                explained |= analysed(target).explained
    return tuple(replace(target, seen=_told(target.seen, explained)) for target in targets)


def told_of(targets: Sequence[Target]) -> tuple[Diagnostic, ...]:
    """The findings of targets that know of the others, and of a run; none of what cannot be parsed."""
    found: list[Diagnostic] = []
    for target in settled(targets):
        with suppress(SourceError):
            found += _shared(analysed(target).diagnostics, target.run_s)
    return tuple(found)


def reread(target: Target, source: SourceFile) -> Target:
    """The target with another text: what a run saw of the old one is kept for the same lines of the new one."""
    seen = moved(target.seen, target.source, source)
    surroundings = surroundings_after(target.surroundings, target.source, source)
    return replace(target, source=source, seen=seen, surroundings=surroundings)


def _told(seen: Iterable[Sighting], explained: Container[Compiled]) -> tuple[Sighting, ...]:
    return tuple(
        replace(sighting, is_explained=sighting.is_explained or sighting.origin in explained) for sighting in seen
    )


def from_here(report: Report) -> Report:
    """The report as a machine reads it: every path relative to where jaxfix runs, however long that is."""
    return replace(
        report,
        findings=tuple(_from_here(entry) for entry in report.findings),
        patches=tuple(replace(entry, path=files.relative(entry.path)) for entry in report.patches),
        generated=tuple(replace(entry, path=files.relative(entry.path)) for entry in report.generated),
        evidence=tuple(replace(entry, path=files.relative(entry.path)) for entry in report.evidence),
        seen={(files.relative(path), key): seen for (path, key), seen in report.seen.items()},
    )


def _from_here(finding: Diagnostic) -> Diagnostic:
    related = tuple(replace(e, path=files.relative(e.path)) if e.path is not None else e for e in finding.related)
    return replace(finding, path=files.relative(finding.path), related=related)
