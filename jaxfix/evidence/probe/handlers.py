"""Errors that the callers of a function take by name."""

import ast
import builtins
from collections.abc import Callable, Iterator
from types import FrameType

from .originals import text_of


def handler_of(error: str, frame: FrameType | None, is_user: Callable[[str], bool]) -> int | None:
    """The line of a handler around the calls from this frame outwards that takes a built-in error by name, if any.

    A handler of `Exception` takes whatever comes, and says nothing of this error.
    """
    kind = getattr(builtins, error, None)
    names = {base.__name__ for base in getattr(kind, "__mro__", ())} - {"Exception", "BaseException", "object"}
    while frame is not None:
        if is_user(frame.f_code.co_filename):
            for handler in _around(frame):
                if handler.type is not None and names & {_last(part) for part in ast.walk(handler.type)}:
                    return handler.lineno
        frame = frame.f_back
    return None


def _around(frame: FrameType) -> Iterator[ast.ExceptHandler]:
    """The handlers of the blocks that the line of a frame is in."""
    try:
        tree = text_of(frame.f_code.co_filename).tree
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Try | ast.TryStar):
            last = node.body[-1].end_lineno or node.body[-1].lineno
            yield from node.handlers if node.body[0].lineno <= frame.f_lineno <= last else ()


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
