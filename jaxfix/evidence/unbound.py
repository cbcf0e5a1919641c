"""Variables of functions and scripts that a fix binds less often: what is left in them says nothing of the results."""

import ast
import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from jaxfix.evidence.changed import MODULE, Definition, definitions
from jaxfix.evidence.outputs import VARIABLE, is_plain_variable
from jaxfix.report.measurement import Output

Scope = Definition | ast.Module
_NESTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def without_unbound(
    outputs: Iterable[Output],
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    scripts: Container[str] = (),
) -> tuple[Output, ...]:
    """The outputs except variables that functions of `after` bind less often than those of `before`.

    A variable that a fix moves into a function of its own keeps an earlier value outside; a read of it would show.

    Args:
      before, after: texts by path; of paths in both.
      scripts: those that run as the main program, whose variables count as those of a function.
    """
    paths = after.keys() & before.keys()
    unbound = {
        found for path in paths for found in _unbound(path, before[path], after[path], is_script=path in scripts)
    }
    return tuple(each for each in outputs if _place(each.label) not in unbound)


def without_counts(outputs: Sequence[Output], texts: Iterable[bytes]) -> tuple[Output, ...]:
    """The outputs except Python numbers that a loop binds: a change may go round it in another way.

    Args:
      texts: of the files, before and after.
    """
    counting = {name for text in texts for name in _counting(text)}
    plain = (_place(each.label) if is_plain_variable(each) else None for each in outputs)
    return tuple(each for each, place in zip(outputs, plain, strict=True) if place is None or place[1] not in counting)


def _counting(text: bytes) -> Iterator[str]:
    """The variables that are bound in a loop."""
    try:
        nodes = [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    loops = (node for node in nodes if isinstance(node, ast.For | ast.AsyncFor | ast.While))
    for node in (inner for loop in loops for inner in ast.walk(loop)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _place(label: str) -> tuple[str, str] | None:
    """The function and the variable of the label of a variable that a call left behind."""
    call, is_left, name = label.partition(VARIABLE)
    return (call.rpartition(" call ")[0], name.removesuffix("`")) if is_left else None


def _unbound(path: str, before: bytes, after: bytes, *, is_script: bool) -> Iterator[tuple[str, str]]:
    try:
        trees = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    old, new = ({**definitions(tree), **({MODULE: [tree]} if is_script else {})} for tree in trees)
    for name, found in new.items():
        known = old.get(name, [])
        if len(found) == len(known) == 1:
            lost = _stores(known[0]) - _stores(found[0])
            yield from ((f"{os.path.basename(path)}:{name}", each) for each in lost if not _captures(found[0], each))


def _stores(function: Scope) -> Counter[str]:
    """How often the body of the function itself binds each name."""
    nodes = (node for node in _own(function) if isinstance(node, ast.Name))
    return Counter(node.id for node in nodes if isinstance(node.ctx, ast.Store))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _NESTED):
            yield child
            yield from _own(child)


def _captures(scope: ast.AST, name: str) -> bool:
    """Whether a function inside may read the variable after the call."""
    inside = (node for node in _within(scope) if not _binds(node, name))
    return any(_reads(node, name) or _captures(node, name) for node in inside)


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """The functions and classes that stand in it, without those in these."""
    for node in (scope, *_own(scope)):
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, _NESTED))


def _reads(scope: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in _own(scope))


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, Definition | ast.Lambda) and any(
        isinstance(part, ast.arg) and part.arg == name for part in ast.walk(node.args)
    ):
        return True
    own = list(_own(node))
    if any(isinstance(each, ast.Nonlocal) and name in each.names for each in own):
        return False
    return any(isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store) for each in own)
