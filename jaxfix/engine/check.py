"""What every patch must satisfy, no matter who wrote it."""

import ast
import warnings
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from jaxfix.engine.choice import Chosen
from jaxfix.report.finding import Fix
from jaxfix.source.edits import apply_edits
from jaxfix.source.errors import SourceError
from jaxfix.source.source_file import SourceFile
from jaxfix.source.tokens import comments


def objections(source: SourceFile, fixes: Sequence[Fix]) -> dict[str, str]:
    """Why some of `fixes` may not be written, by their keys: they change nothing, do not parse, or lose something.

    What holds for many together holds for each: halves are analysed only where a whole is wrong. Fixes that overlap
    are analysed apart.
    """
    found = {fix.key: "the rewrite changes nothing" for fix in fixes if not _changes(source, fix)}
    left = [fix for fix in fixes if fix.key not in found]
    while left:
        chosen = Chosen(source.text)
        together = [fix for fix in left if chosen.take(fix) is None]
        taken = {fix.key for fix in together}
        left = [fix for fix in left if fix.key not in taken]
        found.update(_wrong_ones(source, together))
    return found


def _wrong_ones(source: SourceFile, fixes: Sequence[Fix]) -> dict[str, str]:
    problem = _problem(source, fixes)
    if problem is None:
        return {}
    if len(fixes) == 1:
        return {fixes[0].key: problem}
    half = len(fixes) // 2
    return _wrong_ones(source, fixes[:half]) | _wrong_ones(source, fixes[half:])


def _changes(source: SourceFile, fix: Fix) -> bool:
    return any(source.text[e.span.start : e.span.end] != e.text.encode() for e in fix.edits)


def _problem(source: SourceFile, fixes: Sequence[Fix]) -> str | None:
    """What is wrong with `fixes`, which do not overlap, made together."""
    chosen = Chosen(source.text)
    for fix in fixes:
        chosen.take(fix)
    after = apply_edits(source.text, chosen.edits)
    if not parses(after):
        return "the rewritten file does not parse"
    if _compiles(source.text) and not _compiles(after):
        return "the rewritten file does not compile"
    lost = Counter(c.text for c in comments(source.text)) - Counter(c.text for c in comments(after))
    if lost:
        line = next(c.line for c in comments(source.text) if c.text in lost)
        return f"the comment on line {line} would be lost"
    try:
        source.refuse(chosen.edits)
    except SourceError as error:
        return error.message.removeprefix(f"{source.path}: ")
    return None


@lru_cache(maxsize=2)
def _compiles(text: bytes) -> bool:
    """Whether Python takes the source as a program: no name is both a parameter and `nonlocal`, and the like."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what the user wrote
            compile(text.decode(), "<fixed>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def parses(text: bytes) -> bool:
    try:
        ast.parse(text.decode())  # of bytes, it would believe the encoding that they declare
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
