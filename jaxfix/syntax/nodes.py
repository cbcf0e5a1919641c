"""Walks over syntax trees, several times faster than those of `ast`.

Operators and contexts (`ast.Add`, `ast.Load`) have no place in the text, and are left out.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final, TypeVar

N = TypeVar("N", bound=ast.AST)
_WITHOUT_NODES = frozenset(
    {
        *("id", "attr", "ctx", "op", "ops", "arg", "asname", "kind", "type_comment", "type_ignores", "simple"),
        *("is_async", "conversion", "level", "module", "rest", "kwd_attrs"),
    }
)
"""Fields that hold no node of a place, whatever node they are of."""
_STRINGS = {ast.Constant: "value", ast.Global: "names", ast.Nonlocal: "names"}
_NAMED_BY_NODES = ("TypeAlias",)
"""Where `name` is a variable; elsewhere it is a string."""
FORMAT_STRINGS: tuple[type[ast.expr], ...] = (ast.JoinedStr, getattr(ast, "TemplateStr", ast.JoinedStr))
"""F-strings, and the template strings of Python 3.14."""
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


class _Fields(dict[type, tuple[str, ...] | None]):
    """The fields of a class of nodes that can hold others; None for no node, as a missing key of a display."""

    def __missing__(self, kind: type) -> tuple[str, ...] | None:
        self[kind] = None
        if issubclass(kind, ast.AST):
            string = _STRINGS.get(kind, "" if kind.__name__ in _NAMED_BY_NODES else "name")
            self[kind] = tuple(f for f in kind._fields if f not in _WITHOUT_NODES and f != string)
        return self[kind]


FIELDS: Final = _Fields()
"""Of each class of nodes the fields that can hold others."""
_START, _END = attrgetter("lineno", "col_offset"), attrgetter("end_lineno", "end_col_offset")


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below `node`.

    Returns:
      In the order of its fields.
    """
    found, fields_of = list[Any](), FIELDS
    for field in fields_of[node.__class__] or ():
        value: Any = getattr(node, field, None)
        if value.__class__ is list:
            for item in value:
                if fields_of[item.__class__] is not None:
                    found.append(item)
        elif fields_of[value.__class__] is not None:
            found.append(value)
    return found


def statements(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """The statements of `body` and of the blocks inside it, in the order of the text; not those of other scopes."""
    pending = list(body)[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, _SCOPES):
            pending += [child for child in reversed(children(node)) if isinstance(child, _BLOCKS)]


def last_name(expr: ast.expr) -> str | None:
    """The last part of a dotted name.

    Returns:
      None where `expr` is no name and no attribute.
    """
    return expr.id if type(expr) is ast.Name else expr.attr if type(expr) is ast.Attribute else None


def tail(expr: ast.AST) -> str:
    """The attributes that `expr` reads from its first name, such as `.lax.scan`."""
    found = ""
    while type(expr) is ast.Attribute:
        found = f".{expr.attr}{found}"
        expr = expr.value
    return found


def in_order(nodes: Sequence[N]) -> list[N]:
    """The nodes in the order of the text.

    Args:
      nodes: of classes that have a place.

    Returns:
      A new list; a node comes before those below it.
    """
    return sorted(sorted(nodes, key=_END, reverse=True), key=_START) if len(nodes) > 1 else list(nodes)


def walk(node: ast.AST, parents: dict[ast.AST, ast.AST] | None = None) -> list[ast.AST]:
    """The node and all nodes below it.

    Args:
      parents: takes the parent of each node below.

    Returns:
      In the order of their fields, each before those below it; contexts and operators are left out.
    """
    found: list[ast.AST] = []
    pending = [node]
    pop, add, fields_of = pending.pop, found.append, FIELDS
    while pending:
        node = pop()
        fields = fields_of[node.__class__]
        if fields is None:
            continue
        add(node)
        if not fields:
            continue
        below: list[ast.AST] = []
        for field in fields:
            value = getattr(node, field, None)
            if type(value) is list:
                below += value
            elif value is not None:
                below.append(value)
        if parents is not None:
            for child in below:
                parents[child] = node
        below.reverse()
        pending += below
    return found


Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
