"""Local variables that a change binds less often: what a call leaves in them says nothing of its results."""

import ast
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from jaxfix.evidence.changed import Definition, definitions
from jaxfix.evidence.outputs import VARIABLE
from jaxfix.report.measurement import Output

_NESTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def without_unbound(
    outputs: Iterable[Output], before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> tuple[Output, ...]:
    """The outputs but for variables that functions of `after` bind less often than those of `before`.

    A variable that a fix moves into a function of its own keeps an earlier value outside; a read of it would show.

    Args:
      before, after: texts by path; of paths in both.
    """
    unbound = {found for path in after.keys() & before.keys() for found in _unbound(path, before[path], after[path])}
    return tuple(each for each in outputs if _place(each.label) not in unbound)


def _place(label: str) -> tuple[str, str] | None:
    """The function and the variable of the label of a variable that a call left behind."""
    call, is_left, name = label.partition(VARIABLE)
    return (call.rpartition(" call ")[0], name.removesuffix("`")) if is_left else None


def _unbound(path: str, before: bytes, after: bytes) -> Iterator[tuple[str, str]]:
    try:
        old, new = definitions(ast.parse(before)), definitions(ast.parse(after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for name, found in new.items():
        known = old.get(name, [])
        if len(found) == len(known) == 1:
            lost = _stores(known[0]) - _stores(found[0])
            yield from ((f"{os.path.basename(path)}:{name}", each) for each in lost if not _captures(found[0], each))


def _stores(function: Definition) -> Counter[str]:
    """How often the body of the function itself binds each name."""
    nodes = (node for node in _own(function) if isinstance(node, ast.Name))
    return Counter(node.id for node in nodes if isinstance(node.ctx, ast.Store))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _NESTED):
            yield child
            yield from _own(child)


def _captures(function: Definition, name: str) -> bool:
    """Whether a function inside may read the variable after the call."""
    inside = [node for node in ast.walk(function) if isinstance(node, _NESTED) and node is not function]
    return any(_reads(node, name) and not _binds(node, name) for node in inside)


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, Definition | ast.Lambda) and any(
        isinstance(part, ast.arg) and part.arg == name for part in ast.walk(node.args)
    ):
        return True
    own = list(_own(node))
    if any(isinstance(each, ast.Nonlocal) and name in each.names for each in own):
        return False
    return any(isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store) for each in own)
