"""The comments of a source, so that none is ever lost."""

from dataclasses import dataclass
from functools import lru_cache

from jaxfix.core.text import LineIndex
from jaxfix.core.tokens import tokens


@dataclass(frozen=True, slots=True)
class Comment:
    """`text` from `#` to the end of the line, without the newline; `line` from 1."""

    line: int
    text: str


@lru_cache(maxsize=8)
def comments(text: bytes) -> tuple[Comment, ...]:
    """The comments of a UTF-8 source that parses, in order; those before the first odd token of any other."""
    lines = LineIndex(text)
    return tuple(
        Comment(lines.line(token.span.start), token.text.rstrip()) for token in tokens(text) if token.kind == "COMMENT"
    )
