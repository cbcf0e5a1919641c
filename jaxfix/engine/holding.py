"""Where the lines are now by which programs of a traced run hold something."""

from collections.abc import Iterable
from dataclasses import replace

from jaxfix.engine.seen import Then
from jaxfix.engine.warm import regions_after
from jaxfix.report.trace.held import Held
from jaxfix.report.trace.trace_file import TracedSource
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile


def holdings(found: Iterable[Held], path: str, traced: TracedSource, source: SourceFile) -> tuple[Held, ...]:
    """Those of one source, at their lines as it is now; left out are those whose line was rewritten since.

    The line of the function that was compiled is 0 where it was rewritten.

    Args:
      path: what the trace calls the source.
      traced: as the source was then.
    """
    then = Then(traced, source)
    moved = (_moved(each, path, then) for each in found if each.noted.path == path)
    return tuple(each for each in moved if each is not None)


def _moved(each: Held, path: str, then: Then) -> Held | None:
    line, of = then.now(each.noted.line, each.noted.cell), each.of
    if of is not None and of.path == path:
        of = replace(of, line=then.now(of.line, of.cell) or 0, cell=None)
    if line is None:
        return None
    return replace(each, noted=replace(each.noted, line=line, cell=None), of=of)


def surroundings_after(surroundings: Surroundings, before: SourceFile, after: SourceFile) -> Surroundings:
    """The surroundings of a source whose text has changed: what a run saw is kept for the lines that are the same."""
    hot = regions_after(surroundings.hot, before, after)
    lines = before.text.decode().splitlines()
    traced = TracedSource("", {str(number): line for number, line in enumerate(lines, 1)})
    found = tuple(new for each in surroundings.held for new in holdings([each], each.noted.path, traced, after))
    return replace(surroundings, hot=hot, held=found)
