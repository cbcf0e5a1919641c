"""What a traced run has seen of one source, and which finding explains it."""

import ast
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from jaxfix.report.finding import Finding, Proves
from jaxfix.report.trace.cause import Why
from jaxfix.report.trace.compiles import Compiled
from jaxfix.report.trace.trace_file import TracedSource
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.semantic.recompiles import statement_at
from jaxfix.source.frozen import frozen
from jaxfix.source.source_file import SourceFile

DRIFTS = (Why.WEAK_TYPE, Why.DTYPE)
"""Causes of which a second compile alone says that something is wrong: the type was another one to begin with."""
_UNNAMED = re.compile(r"argument \d+")
"""What an operation by itself calls what it takes: a line with two of them passes two types, and no state drifts."""
_UNTOLD = (Why.UNKNOWN, Why.FIRST)


@frozen
class Sighting:
    """What a run compiled again, as one source sees it.

    Attributes:
      origin: as the trace has it.
      line: the innermost of the user's lines, where that is one of this source, as it is numbered now; else None.
      lines: of this source that asked for it, the innermost first; empty where it happened in other files.
      is_explained: whether a finding of another source explains it.
    """

    origin: Compiled
    line: int | None
    lines: tuple[int, ...]
    is_explained: bool = False

    @property
    def compiled(self) -> Compiled:
        """At its line in the source as it is now."""
        return self.origin if self.line is None else replace(self.origin, line=self.line)


def sightings(
    rows: Iterable[Compiled], path: str | None, traced: TracedSource | None, source: SourceFile
) -> tuple[Sighting, ...]:
    """What was compiled again, seen from one source.

    Args:
      path: what the trace calls the source, None where it names nothing of it.
      traced: as the source was then: of a line that has changed since, nothing is said.
    """
    then = Then(traced, source) if traced is not None else None
    found = []
    for row in rows:
        if not row.again:
            continue
        places = [(place.path, place.line, place.cell) for place in row.chain] or [(row.path, row.line, row.cell)]
        here = [(line, cell) for name, line, cell in places if name == path]
        now = tuple(moved for line, cell in here if then and (moved := then.now(line, cell)) is not None)
        line = then.now(row.line, row.cell) if then and row.path == path else None
        if row.path == path and line is None:
            continue  # it was rewritten since
        found.append(Sighting(row, line, now))
    return tuple(found)


def moved(seen: Iterable[Sighting], before: SourceFile, after: SourceFile) -> tuple[Sighting, ...]:
    """The sightings of a source whose text has changed; those of a line that was rewritten are gone."""
    lines = before.text.decode().splitlines()
    then = Then(TracedSource("", {str(number): line for number, line in enumerate(lines, 1)}), after)
    found = []
    for sighting in seen:
        line = then.now(sighting.line) if sighting.line is not None else None
        if line is not None or sighting.line is None:
            kept = tuple(now for each in sighting.lines if (now := then.now(each)) is not None)
            found.append(replace(sighting, line=line, lines=kept))
    return tuple(found)


def is_stale(traced: TracedSource, source: SourceFile) -> bool:
    """Whether `source` has other contents than when it was traced."""
    return hashlib.sha256(source.raw).hexdigest() != traced.sha256


def worth_telling(sighting: Sighting) -> bool:
    """Whether it is a finding of its own: it repeats, or the type of something that has a name is not what it was."""
    entry = sighting.origin
    is_mine = sighting.line is not None and not sighting.is_explained
    is_drift = entry.why in DRIFTS and not (entry.cause is not None and _UNNAMED.fullmatch(entry.cause.name or ""))
    return is_mine and entry.again >= (1 if is_drift else 2)


class Explanations:
    """Assigns each sighting to the nearest finding of a module."""

    def __init__(self, module: Module, sightings: Sequence[Sighting]) -> None:
        self.module, self.sightings = module, sightings

    def of(self, findings: Sequence[tuple[Codemod, Finding]]) -> tuple[tuple[Sighting, ...], ...]:
        """For each finding the sightings that it explains; no sighting is explained by two."""
        explained: list[list[Sighting]] = [[] for _ in findings]
        for sighting in self.sightings:
            distances = [self._distance(codemod, finding, sighting) for codemod, finding in findings]
            near = min((d for d in distances if d is not None), default=None)
            if near is not None:
                explained[distances.index(near)].append(sighting)
        return tuple(map(tuple, explained))

    def _distance(self, codemod: Codemod, finding: Finding, sighting: Sighting) -> int | None:
        """0 on the line itself, then its function, then a line and a function that called it, then the leaf's name."""
        why = sighting.origin.why
        if codemod.proves is not Proves.FEWER_COMPILES:
            return None  # it saves no compile
        if codemod.cures and why not in (*codemod.cures, *_UNTOLD):
            return None
        if self._is_about(finding, sighting):
            return 0
        own, outer = (sighting.lines[:1], sighting.lines[1:]) if sighting.line is not None else ((), sighting.lines)
        if self._is_at(finding.at, own):
            return 0
        if codemod.programs and sighting.origin.program not in codemod.programs:
            return None
        if self._shares_scope(finding.at, own) and self._shares_loop(finding.at, own):
            return 1
        if why in _UNTOLD:
            return None
        if self._is_at(finding.at, outer):
            return 2
        if self._shares_scope(finding.at, outer):
            return 3
        return 4 if why in codemod.cures and why in DRIFTS and self._names(finding.at, sighting) else None

    @staticmethod
    def _is_about(finding: Finding, sighting: Sighting) -> bool:
        cause = sighting.origin.cause
        every = (cause, *cause.others) if cause is not None else ()
        return any(each.name is not None and each.name in finding.leaves for each in every)

    def _is_at(self, node: ast.AST, lines: Sequence[int]) -> bool:
        first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
        statement = self.module.statement(node) if not isinstance(node, ast.Module) else node
        if isinstance(statement, ast.stmt) and not hasattr(statement, "body"):
            first, last = statement.lineno, statement.end_lineno or statement.lineno
        return any(first <= line <= last for line in lines)

    def _shares_scope(self, node: ast.AST, lines: Sequence[int]) -> bool:
        function = self.module.function(node)
        if function is None:
            return any(self._is_of_module(line) for line in lines)
        return any(function.lineno <= line <= (function.end_lineno or function.lineno) for line in lines)

    def _shares_loop(self, node: ast.AST, lines: Sequence[int]) -> bool:
        """Whether a line is in the outermost loop of `node`, if that is in one: a loop explains nothing outside it."""
        loops = self.module.loops(node)
        if not loops:
            return True
        first, last = getattr(loops[-1], "lineno", 1), getattr(loops[-1], "end_lineno", None) or 1
        return any(first <= line <= last for line in lines)

    def _is_of_module(self, line: int) -> bool:
        statement = statement_at(self.module, line)
        return statement is not None and self.module.function(statement) is None

    def _names(self, node: ast.AST, sighting: Sighting) -> bool:
        """Whether the statement of `node` mentions the leaf that drifts, such as `count` of `opt_state[0].count`."""
        cause = sighting.origin.cause
        words = re.findall(r"[^\W\d]\w+", cause.name or "") if cause else []
        text = self.module.text(self.module.statement(node))
        return bool(words) and re.search(rf"\b{re.escape(words[-1])}\b", text) is not None


class Then:
    """Where the lines of a source that was traced are now."""

    def __init__(self, traced: TracedSource, source: SourceFile) -> None:
        self.traced, self.source = traced, source
        self.lines = [line.strip() for line in source.text.decode().splitlines()]
        self.is_same = not is_stale(traced, source)

    def now(self, line: int, cell: int | None = None) -> int | None:
        """The same line, or the only one of the same text; None for a line that is not there any more."""
        text = self.traced.line(line, cell)
        here = line if cell is None else self._line_of(cell, line)
        if self.is_same:
            return here
        if text is None or not text.strip():
            return None
        if here is not None and here <= len(self.lines) and self.lines[here - 1] == text.strip():
            return here
        alike = [number for number, other in enumerate(self.lines, 1) if other == text.strip()]
        return alike[0] if len(alike) == 1 else None

    def _line_of(self, cell: int, line: int) -> int | None:
        notebook = self.source.notebook
        return notebook.line(cell, line) if notebook is not None else None
