"""What every patch must satisfy, whoever wrote it."""

import ast
from collections import Counter

from jaxfix.core.comments import comments
from jaxfix.core.errors import SourceError
from jaxfix.core.finding import Fix
from jaxfix.core.source import SourceFile
from jaxfix.core.text import apply_edits


def objection(source: SourceFile, fix: Fix) -> str | None:
    """Why `fix` alone may not be written: it changes nothing, does not parse, loses a comment or a character."""
    after = apply_edits(source.text, fix.edits)
    if after == source.text:
        return "the rewrite changes nothing"
    if not parses(after):
        return "the rewritten file does not parse"
    lost = Counter(c.text for c in comments(source.text)) - Counter(c.text for c in comments(after))
    if lost:
        line = next(c.line for c in comments(source.text) if c.text in lost)
        return f"the comment on line {line} would be lost"
    try:
        source.encode(after)
    except SourceError as error:
        return error.message
    return None


def parses(text: bytes) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
