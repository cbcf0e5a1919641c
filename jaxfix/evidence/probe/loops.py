"""The loops of a source file, and which of them a line is in."""

import ast
import functools
import linecache
from typing import NamedTuple


class Loop(NamedTuple):
    """A `for` or `while`, by lines from 1.

    Attributes:
      head: where it is decided whether another iteration begins; None of `while True`, which does not decide.
      body: where an iteration begins.
    """

    file: str
    head: int | None
    body: int
    first: int
    last: int

    @property
    def is_one_line(self) -> bool:
        return self.head == self.body

    def holds(self, line: int) -> bool:
        return self.first <= line <= self.last


def loop_around(file: str, function: int, line: int) -> Loop | None:
    """The innermost loop around `line` within the function whose first line is `function`; None if there is none."""
    around = [loop for loop in _loops(file).get(function, ()) if loop.holds(line)]
    return max(around, key=lambda loop: loop.first, default=None)


@functools.lru_cache(maxsize=64)
def _loops(file: str) -> dict[int, list[Loop]]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[int, list[Loop]] = {}
    waiting: list[tuple[ast.AST, int]] = [(tree, 1)]
    while waiting:
        node, function = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # a code object begins at its first decorator
            function = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        elif isinstance(node, ast.ClassDef | ast.Lambda):
            function = node.lineno
        elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
            found.setdefault(function, []).append(_loop(file, node))
        waiting += [(child, function) for child in ast.iter_child_nodes(node)]
    return found


def _loop(file: str, node: ast.For | ast.AsyncFor | ast.While) -> Loop:
    endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    head = node.test.lineno if isinstance(node, ast.While) else node.iter.lineno
    # `else` is not an iteration
    last = max(entry.end_lineno or node.lineno for entry in node.body)
    return Loop(file, None if endless else head, _first_line(node.body, endless), node.lineno, last)


def _first_line(body: list[ast.stmt], endless: bool) -> int:
    """The first line that runs once in each iteration; of an endless loop, the line of no inner loop."""
    without: tuple[type, ...] = (ast.Global, ast.Nonlocal, ast.Pass)
    if endless:
        without += (ast.For, ast.AsyncFor, ast.While)
    runs = [entry for entry in body if not isinstance(entry, without) and not _is_constant(entry)]
    first = (runs or body)[0]
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    return min([first.lineno, *(decorator.lineno for decorator in decorators)])


def _is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
