"""What of a finding stays when the file around it changes: its function and its statement, not its line."""

import ast
import hashlib
from collections.abc import Iterator

from jaxfix.report.report import Anchor
from jaxfix.semantic.module import Module

_BLOCKS = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})
_ASIDE = frozenset({"ctx", "kind", "type_comment"})
_LONGEST = 100
_DIGITS = 12


def anchored(module: Module, node: ast.AST) -> Anchor:
    """Where `node` is. Layout, quotes, comments and, of a statement with blocks, what is in them do not matter."""
    if isinstance(node, ast.Module):
        return Anchor(module.path(node), "", _digest(()))
    statement = module.statement(node)
    first = " ".join(module.text(statement).splitlines()[0].split())
    text = first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1]}…"
    return Anchor(module.path(node), text, _digest(_shape(statement)))


def _digest(words: Iterator[str] | tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(words).encode(errors="surrogatepass")).hexdigest()[:_DIGITS]


def _shape(statement: ast.stmt) -> Iterator[str]:
    """The statement without its blocks, in words that every version of Python gives it."""
    waiting: list[object] = [statement]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, ast.AST):
            yield type(entry).__name__
            waiting += [part for name, value in reversed(_fields(entry)) for part in (value, _Name(name))]
        elif isinstance(entry, list):
            parts = [part for part in entry if not _is_empty(part)]
            yield f"[{len(parts)}"
            waiting += reversed(parts)
        else:
            yield str(entry) if isinstance(entry, _Name) else repr(entry)


class _Name(str):
    """Of a field."""


def _is_empty(part: object) -> bool:
    """Whether it is a text without characters, which Python 3.12 sees at the end of `f"{x:>{width}}"`."""
    if not isinstance(part, ast.Constant) or part.value != "":
        return False
    return (part.lineno, part.col_offset) == (part.end_lineno, part.end_col_offset)


def _fields(node: ast.AST) -> list[tuple[str, object]]:
    """What a node holds: empty fields, which newer versions of Python add, are left out."""
    return [
        (name, value)
        for name, value in ast.iter_fields(node)
        if name not in _ASIDE and value is not None and value != [] and not (name in _BLOCKS and type(value) is list)
    ]
