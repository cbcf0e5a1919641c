"""One look at one buffer, and what the client gets of it."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from lsprotocol import types

from jaxfix.drivers import files
from jaxfix.drivers.lsp import policy
from jaxfix.drivers.lsp.buffers import Buffer
from jaxfix.drivers.lsp.placing import Place
from jaxfix.drivers.lsp.settings import Settings
from jaxfix.drivers.lsp.surveying import Told
from jaxfix.drivers.workflow.looking import analysed
from jaxfix.drivers.workflow.targets import Target
from jaxfix.engine.baseline import Baseline, Occurrence, compare, load
from jaxfix.engine.seen import Sighting
from jaxfix.report.report import Diagnostic, Related
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.recording import RecordingProject
from jaxfix.source.errors import SourceError
from jaxfix.source.frozen import frozen


@frozen
class Lens:
    """A function, or a line outside of any, that a traced run compiled again; `line` is that of its head, from 1."""

    line: int
    compiles: int
    seconds: float


@frozen
class View:
    """The analysis of a buffer.

    Attributes:
      bugs: sentences.
      error: a sentence, of a text that does not parse.
      known: the keys of what the project's baseline knows.
      kept: of such a text, what was found when it did, in the lines that are still as they were: shown, and no more.
    """

    buffer: Buffer
    target: Target
    found: tuple[Diagnostic, ...] = ()
    known: frozenset[str] = frozenset()
    kept: tuple[Diagnostic, ...] = ()
    error: str | None = None
    bugs: tuple[str, ...] = ()
    lenses: tuple[Lens, ...] = ()

    @property
    def is_installed(self) -> bool:
        return self.target.module is not None


def target(buffer: Buffer, place: Place, told: Told | None, seen: Sequence[Sighting] = ()) -> Target:
    """The buffer as codemods see it, with the answers of its project."""
    around = told.surroundings if told is not None else place.surroundings
    project = RecordingProject(told.answers if told is not None else {})
    return Target(
        buffer.source,
        place.codemods,
        buffer.path,
        place.module,
        tuple(seen),
        replace(around, project=project),
        told.helper if told is not None else place.helper,
        place.baseline,
    )


def view(buffer: Buffer, wanted: Target) -> View:
    """What the codemods find.

    Raises:
      ConfigError: the baseline that the configuration names is none.
    """
    if not wanted.codemods:
        return View(buffer, wanted)
    try:
        analysis = analysed(wanted)
    except SourceError as error:
        return View(buffer, wanted, error=str(error))
    lenses = _lenses(analysis.module, wanted.seen)
    found, bugs = analysis.diagnostics, analysis.bugs
    analysis.module.forget()
    return View(buffer, wanted, found, _known(wanted, found), bugs=bugs, lenses=lenses)


def _known(wanted: Target, found: Sequence[Diagnostic]) -> frozenset[str]:
    """The keys of those findings that the baseline knows."""
    if wanted.baseline is None or wanted.path is None:
        return frozenset()
    try:
        raw = files.read_bytes(wanted.baseline)
    except SourceError:
        return frozenset()  # it is still to be written
    path = os.path.relpath(files.resolved(wanted.path), files.resolved(wanted.baseline.parent)).replace(os.sep, "/")
    here = [Occurrence(path, entry) for entry in found]
    compared = compare(_loaded(raw, files.shown(wanted.baseline)), here, lambda entry: False, (), (path,))
    return frozenset(entry.diagnostic.key for entry in compared.known)


@lru_cache(maxsize=4)
def _loaded(raw: bytes, shown: str) -> Baseline:
    return load(raw, shown)


def carried(before: View, now: View) -> View:
    """The view of a text that does not parse, as it is being typed, with the findings of the lines above and below."""
    if before.buffer.is_notebook or now.buffer.is_notebook:
        return now
    old, new = (view.buffer.source.text.splitlines() for view in (before, now))
    above = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    rest = min(len(old), len(new)) - above
    pairs = zip(reversed(old), reversed(new), strict=False)
    below = next((n for n, (a, b) in enumerate(pairs) if a != b or n >= rest), rest)
    kept = []
    for entry in before.found or before.kept:
        if entry.end_line <= above:
            kept.append(replace(entry, related=()))
        elif entry.line > len(old) - below:
            moved = len(new) - len(old)
            kept.append(replace(entry, line=entry.line + moved, end_line=entry.end_line + moved, related=()))
    return replace(now, kept=tuple(kept))


def _lenses(module: Module, seen: Sequence[Sighting]) -> tuple[Lens, ...]:
    """What was compiled again, by the function in which it was asked for."""
    sums: dict[int, tuple[int, float]] = {}
    for sighting in seen:
        if sighting.line is None:
            continue
        around = [f for f in module.functions if hasattr(f, "name") and _holds(f, sighting.line)]
        line = max((f.lineno for f in around), default=sighting.line)
        compiles, seconds = sums.get(line, (0, 0.0))
        sums[line] = compiles + sighting.origin.compiles, seconds + sighting.origin.seconds
    return tuple(Lens(line, *total) for line, total in sorted(sums.items()))


def _holds(function: object, line: int) -> bool:
    first, last = getattr(function, "lineno", 0), getattr(function, "end_lineno", None) or 0
    return bool(first <= line <= last)


Locate = Callable[[Related], types.Location | None]
"""Finds a place in another file."""


def items(view: View, settings: Settings, locate: Locate | None = None) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of the buffer, as far as they are shown, by document; every document of it is there.

    Args:
      locate: None for a client that shows no related places.
    """
    found: dict[str, list[types.Diagnostic]] = {piece.uri: [] for piece in view.buffer.pieces}
    for diagnostic in (*view.found, *view.kept):
        shown = item(view, diagnostic, settings, locate)
        if shown is not None:
            found[shown[0]].append(shown[1])
    return found


def item(
    view: View, diagnostic: Diagnostic, settings: Settings, locate: Locate | None = None
) -> tuple[str, types.Diagnostic] | None:
    """The finding as the client gets it, and the document that it is in; None where it is not shown."""
    is_known = diagnostic.key in view.known
    severity = policy.severity(diagnostic, settings, is_public=view.is_installed, is_known=is_known)
    buffer = view.buffer
    placed = buffer.place(buffer.first_line(buffer.span(diagnostic)))
    if severity is None or placed is None:
        return None
    piece, where = placed
    told = types.Diagnostic(
        range=where,
        message=policy.message(diagnostic, is_known=is_known),
        severity=severity,
        code=diagnostic.id,
        code_description=policy.description(diagnostic.id),
        source=policy.SOURCE,
        tags=policy.tags(diagnostic) or None,
        related_information=list(_related(view, diagnostic, locate)) or None if locate is not None else None,
        data={
            "key": diagnostic.key,
            "title": diagnostic.title,
            "fixable": diagnostic.fixable,
            "safety": diagnostic.safety.value,
            "confidence": diagnostic.confidence.value,
        },
    )
    return piece.uri, told


def _related(view: View, diagnostic: Diagnostic, locate: Locate) -> Iterator[types.DiagnosticRelatedInformation]:
    for entry in diagnostic.related:
        location = _here(view, entry) if entry.path is None else locate(entry)
        if location is not None:
            yield types.DiagnosticRelatedInformation(location, entry.message)


def _here(view: View, entry: Related) -> types.Location | None:
    placed = view.buffer.place(view.buffer.span(entry))
    return types.Location(placed[0].uri, placed[1]) if placed is not None else None
