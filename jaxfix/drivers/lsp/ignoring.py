"""The comment that silences a finding, where Python and jaxfix both read it as one."""

import ast
import re
from collections.abc import Iterator

from jaxfix.drivers.workflow.looking import analysed, reread
from jaxfix.drivers.workflow.targets import Target
from jaxfix.engine.analyze import Found
from jaxfix.semantic.module import Module
from jaxfix.source.edits import Edit, Span
from jaxfix.source.errors import SourceError
from jaxfix.source.source_file import SourceFile

_IDS = re.compile(rb"#\s*jaxfix:\s*ignore\s*\[([^\]]*)")


def ignored(target: Target, key: str) -> tuple[Edit, ...]:
    """Silences the finding, and changes nothing else of what the source means.

    Raises:
      SourceError: no line of the finding has room for a comment, or it is gone.
    """
    analysis = analysed(target)
    found = next((found for found in analysis.found if found.key == key), None)
    if found is None:
        raise SourceError(target.source.path, "the finding no longer exists")
    before = [entry.codemod.id for entry in analysis.found]
    for line in dict.fromkeys(_lines(analysis.module, found)):
        edit = _comment(target.source, line, found.codemod.id)
        try:
            after = target.source.edited([edit])
            again = analysed(reread(target, after))
        except SourceError:
            continue
        left = [entry.codemod.id for entry in again.found]
        is_same = ast.dump(again.module.tree) == ast.dump(analysis.module.tree)
        if is_same and left.count(found.codemod.id) < before.count(found.codemod.id):
            return (edit,)
    raise SourceError(target.source.path, "no line of the finding has room for a comment")


def _lines(module: Module, found: Found) -> Iterator[int]:
    """Lines on which a comment may speak of the finding, the best first."""
    lines, node = module.source.lines, found.finding.at
    own, around = module.span(node), module.span(module.statement(node))
    yield lines.line(own.start)
    yield lines.line(own.end)
    yield lines.line(around.end)
    yield lines.line(around.start)


def _comment(source: SourceFile, line: int, name: str) -> Edit:
    """The comment at the end of a line, or one more id in that which is there."""
    start = source.lines.line_start(line)
    text = source.text[start : source.lines.line_start(line + 1)].rstrip()
    there = _IDS.search(text)
    if there is not None:
        place = start + there.end(1)
        return Edit(Span(place, place), f", {name}" if there[1].strip() else name)
    return Edit(Span(start + len(text), start + len(text)), f"  # jaxfix: ignore[{name}]")
