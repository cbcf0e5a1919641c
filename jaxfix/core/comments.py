"""The comments of a source, so that none is ever lost."""

import io
import tokenize
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Comment:
    """`text` from `#` to the end of the line, without the newline; `line` from 1."""

    line: int
    text: str


@lru_cache(maxsize=8)
def comments(text: bytes) -> tuple[Comment, ...]:
    """The comments of a UTF-8 source that parses, in order; those before the first odd token of any other."""
    found = []
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.tokenize(io.BytesIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.append(Comment(token.start[0], token.string.rstrip()))
    return tuple(found)
