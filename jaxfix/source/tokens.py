"""Tokens of a text with their spans in bytes, the same on every Python; its comments, so that none is ever lost."""

import io
import tokenize
from collections.abc import Iterator
from functools import lru_cache

from jaxfix.source.edits import LineIndex, Span
from jaxfix.source.frozen import frozen

_STRING_STARTS = frozenset({"FSTRING_START", "TSTRING_START"})
_STRING_ENDS = frozenset({"FSTRING_END", "TSTRING_END"})


@frozen
class Token:
    """One token. `kind` is its name in `tokenize`, `OP` for every operator; `text` has `\\n` for every newline."""

    kind: str
    text: str
    span: Span


def tokens(text: bytes) -> Iterator[Token]:
    """The tokens of `text` (UTF-8), as far as it can be tokenized; whole statements or a part of one.

    Format strings are one `STRING` token, as they are before Python 3.12.
    """
    depth, start = 0, 0
    for token in _plain_tokens(text):
        depth += (token.kind in _STRING_STARTS) - (token.kind in _STRING_ENDS)
        if token.kind in _STRING_STARTS and depth == 1:
            start = token.span.start
        elif token.kind in _STRING_ENDS and depth == 0:
            whole = text[start : token.span.end].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            yield Token("STRING", whole.decode(), Span(start, token.span.end))
        elif depth == 0:
            yield token


def _plain_tokens(text: bytes) -> Iterator[Token]:
    # `\r` alone ends a line for the compiler, and not for every `tokenize`: each line gets a plain newline.
    lines = [line.decode() for line in text.splitlines(keepends=True)]
    bare = "".join(line.rstrip("\r\n") + "\n" if line[-1] in "\r\n" else line for line in lines)
    index = LineIndex(text)

    def offset(position: tuple[int, int]) -> int:
        row, column = position
        if row > len(lines):
            return len(text)
        line = lines[row - 1]
        return index.line_start(row) + (column if line.isascii() else len(line[:column].encode()))

    try:
        for token in tokenize.generate_tokens(io.StringIO(bare, newline="\n").readline):
            span = Span(offset(token.start), offset(token.end))
            yield Token(tokenize.tok_name[token.type], token.string, span)
    except (tokenize.TokenError, SyntaxError):
        return


@frozen
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
