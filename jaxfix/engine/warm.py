"""Where the lines in which a traced run spent time besides compiling are now, and which finding explains them."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from jaxfix.engine.seen import Then
from jaxfix.report.finding import Finding
from jaxfix.report.trace.compiles import Place
from jaxfix.report.trace.hot import Hot
from jaxfix.report.trace.trace_file import TracedSource
from jaxfix.semantic.codemod import Codemod
from jaxfix.semantic.module import Module
from jaxfix.source.source_file import SourceFile


class Explaining(Protocol):
    """A finding and who made it."""

    @property
    def codemod(self) -> Codemod: ...

    @property
    def finding(self) -> Finding: ...


def regions(hot: Iterable[Hot], path: str, traced: TracedSource, source: SourceFile) -> tuple[Hot, ...]:
    """The entries of one source, at their present lines; those with a rewritten end are left out.

    Args:
      path: what the trace calls the source.
      traced: as the source was then.
    """
    then = Then(traced, source)
    found = []
    for region in hot:
        if region.path != path:
            continue
        first, last = (then.now(line, region.cell) for line in (region.first, region.last))
        if first is not None and last is not None and first <= last:
            chain = tuple(place for each in region.chain for place in _moved(each, path, then))
            found.append(replace(region, first=first, last=last, cell=None, chain=chain))
    return tuple(found)


def _moved(place: Place, path: str, then: Then) -> Iterator[Place]:
    """A caller where it is now, unless its line was rewritten."""
    line = then.now(place.line, place.cell) if place.path == path else place.line
    if line is not None:
        yield replace(place, line=line, cell=None) if place.path == path else place


def regions_after(hot: Iterable[Hot], before: SourceFile, after: SourceFile) -> tuple[Hot, ...]:
    """The regions of a source whose text has changed."""
    lines = before.text.decode().splitlines()
    traced = TracedSource("", {str(number): line for number, line in enumerate(lines, 1)})
    return tuple(region for each in hot for region in regions([each], each.path, traced, after))


def warmed(module: Module, hot: Sequence[Hot], found: Sequence[Explaining]) -> list[tuple[Hot, ...]]:
    """For each finding the regions that it explains; no region is explained by two."""
    explained: list[list[Hot]] = [[] for _ in found]
    for region in hot:
        distances = [_distance(module, region, each) for each in found]
        near = min((distance for distance in distances if distance is not None), default=None)
        if near is not None:
            explained[distances.index(near)].append(region)
    return [tuple(some) for some in explained]


def _distance(module: Module, region: Hot, each: Explaining) -> int | None:
    """0 within the region, then its function, then a line that calls it; None for another kind of work."""
    if region.kind not in each.codemod.relieves:
        return None
    first, last = _lines(module, each.finding.at)
    if first <= region.last and region.first <= last:
        return 0
    function = module.function(each.finding.at)
    if function is not None and function.lineno <= region.first <= (function.end_lineno or function.lineno):
        return 1
    return 2 if any(first <= place.line <= last for place in region.chain if place.path == region.path) else None


def _lines(module: Module, node: ast.AST) -> tuple[int, int]:
    """The lines of a finding, and of its statement if that has no block."""
    statement = module.statement(node) if not isinstance(node, ast.Module) else node
    whole = statement if isinstance(statement, ast.stmt) and not hasattr(statement, "body") else node
    first = getattr(whole, "lineno", 1)
    return first, getattr(whole, "end_lineno", None) or first
