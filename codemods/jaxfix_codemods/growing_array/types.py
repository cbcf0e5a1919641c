"""Parts of several types: each join rounds to the type of what there is then, one join of all to that of the result."""

import ast
import re
from collections.abc import Iterable

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import Form, Values

_NARROW = re.compile(r"u?int(?:4|8|16)|b?float(?:16|8\w*)")
"""Types of fewer bits than those of Python numbers."""


def check_types(module: Module, starts: Iterable[ast.expr | None], parts: Iterable[ast.expr]) -> None:
    """Refuses a part of any type, as a caller gives it, where what the array begins as has a narrow one.

    Raises:
      Declined: a Python number may overflow when it is joined, and not in an array that is wider in the end.
    """
    if not any(start is not None and _is_narrow(start) for start in starts):
        return
    for part in parts:
        found = module.get(Values).of(part)
        if isinstance(part, ast.Name) and not found.is_array and found.form is not Form.PYTHON:
            text = f"`{part.id}` may be a number that is too large for what there is when it is joined"
            raise Declined(Reason(Code.OVERFLOW, text))


def _is_narrow(start: ast.expr) -> bool:
    """Whether the expression names such a type."""
    return any(_NARROW.fullmatch(name) for node in walk(start) if (name := _name(node)) is not None)


def _name(node: ast.AST) -> str | None:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Constant(value=str(name)):
            return name
    return None
