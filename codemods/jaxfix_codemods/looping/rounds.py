"""What a loop goes over: numbers of a range, or the rows of arrays."""

import ast
from collections.abc import Sequence
from typing import cast

from jaxfix.api import Module, frozen, walk
from jaxfix.api.analysis import iterations


@frozen
class Rounds:
    """What a `for` goes over.

    Attributes:
      loop: the statement.
      number: the variable that is an integer of Python, if there is one.
      bounds: what `range` is given; empty where it goes over arrays alone.
      arrays: what it goes over, row by row.
      is_backward: whether it goes from the last number to the first.
      count: how many iterations there are, where the text says it.
    """

    loop: ast.For
    number: ast.Name | None
    bounds: tuple[ast.expr, ...]
    arrays: tuple[ast.expr, ...]
    is_backward: bool
    count: int | None

    @property
    def rows(self) -> tuple[ast.Name, ...]:
        """The variable of each of the arrays."""
        names = (node for node in walk(self.loop.target) if isinstance(node, ast.Name) and node is not self.number)
        return tuple(names) if self.arrays else ()

    @property
    def counts_up(self) -> bool:
        """Whether it goes over integers one by one, upwards."""
        return 0 < len(self.bounds) < 3 and not self.is_backward

    @property
    def is_natural(self) -> bool:
        """Whether the text says that no number is negative."""
        match self.bounds:
            case [] | [_]:
                return True
            case [start, _] | [start, _, ast.Constant()]:
                return isinstance(start, ast.Constant)
        return False


def unenclosed(module: Module, target: ast.expr) -> str:
    """The text of what a loop binds, without parentheses around all of it."""
    text = module.text(target)
    is_enclosed = isinstance(target, ast.Tuple) and target.elts[0].col_offset > target.col_offset
    return text[1:-1] if is_enclosed else text


def listed(texts: Sequence[str]) -> str:
    """One text as it is, several as a tuple."""
    return f"({', '.join(texts)})" if len(texts) > 1 else texts[0]


def as_loop(loop: ast.For | ast.comprehension, *body: ast.expr) -> ast.For:
    """A comprehension as the statement that goes over the same, with what it computes as the block."""
    if isinstance(loop, ast.For):
        return loop
    # its own node, so that its place is known, where the block is walked and no statement is looked for
    return ast.For(target=loop.target, iter=loop.iter, body=cast(list[ast.stmt], [*body]), orelse=[])


def rounds_of(module: Module, loop: ast.For) -> Rounds | None:
    """What `loop` goes over; None where that is nothing which a loop of a program could go over."""
    inner, is_backward = loop.iter, False
    match inner:
        case ast.Call(args=[again], keywords=[]) if _is_builtin(module, inner, "reversed"):
            inner, is_backward = again, True
    bounds = _bounds(module, inner)
    if bounds:
        number = loop.target if isinstance(loop.target, ast.Name) else None
        count = iterations(module, ast.For(target=loop.target, iter=inner, body=[], orelse=[]))
        return None if number is None else Rounds(loop, number, bounds, (), is_backward, count)
    return None if is_backward else _over_arrays(module, loop)


def _over_arrays(module: Module, loop: ast.For) -> Rounds | None:
    match loop.iter, loop.target:
        case ast.Call(args=[whole], keywords=[]) as call, ast.Tuple(elts=[ast.Name() as number, rows]):
            arrays = _rows(module, whole, rows) if _is_builtin(module, call, "enumerate") else None
            if arrays is not None and isinstance(arrays[0], ast.Name):
                return Rounds(loop, number, (), arrays, False, None)
    found = _rows(module, loop.iter, loop.target)
    return None if found is None else Rounds(loop, None, (), found, False, None)


def _rows(module: Module, iterable: ast.expr, target: ast.expr) -> tuple[ast.expr, ...] | None:
    """The arrays whose rows `target` is bound to."""
    match iterable, target:
        case ast.Call(args=[_, _, *_] as arrays, keywords=[]), ast.Tuple(elts=names):
            is_plain = len(arrays) == len(names) and all(isinstance(name, ast.Name) for name in names)
            return tuple(arrays) if is_plain and _is_builtin(module, iterable, "zip") else None
        case ast.expr(), ast.Name():
            return (iterable,)
    return None


def _bounds(module: Module, iterable: ast.expr) -> tuple[ast.expr, ...]:
    match iterable:
        case ast.Call(args=[*bounds], keywords=[]) if _is_builtin(module, iterable, "range"):
            return tuple(bounds) if not any(isinstance(each, ast.Starred) for each in bounds) else ()
    return ()


def _is_builtin(module: Module, call: ast.expr, name: str) -> bool:
    match call:
        case ast.Call(func=ast.Name(id=called) as func):
            return called == name and module.scope_of(name, func) is None
    return False
