"""Statements that bind variables and do nothing else; short loops of them, which a trace unrolls."""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.api import Module
from jaxfix.api.analysis import iterations
from jaxfix_codemods.unjitted_update.keyed import is_spelled

MOST_ITERATIONS = 16
"""Of a loop that a trace unrolls: each iteration is compiled."""


def is_assignment(statement: ast.stmt) -> bool:
    """Whether `statement` binds variables or attributes of them, and nothing else."""
    match statement:
        case ast.Assign(targets=[target]):
            return _binds_variables(target)
        case ast.AnnAssign(target=ast.Name(), value=value):
            return value is not None
        case ast.AugAssign(target=ast.Name() | ast.Attribute(value=ast.Name())):
            return True
        case ast.AugAssign(target=target):
            return is_spelled(target)
    return False


def _binds_variables(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(_binds_variables(element) for element in target.elts)
    is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    return isinstance(target, ast.Name) or is_own or is_spelled(target)


def counter_of(module: Module, statement: ast.AST) -> str | None:
    """The variable of a loop of assignments, of few iterations by its text, that nothing else reads, or None."""
    match statement:
        case ast.For(target=ast.Name(id=name) as target, iter=iterable, body=body, orelse=[]):
            if not all(map(is_assignment, body)) or not _is_counted(module, iterable):
                return None
            rounds = iterations(module, statement)
            inside = set(ast.walk(statement))
            uses = module.uses(name, module.scope_of(name, target))
            is_own = rounds is not None and rounds <= MOST_ITERATIONS and all(use in inside for use in uses)
            return name if is_own else None
    return None


def _is_counted(module: Module, iterable: ast.expr) -> bool:
    """Whether it is written out, or a range: what shows progress does more than count."""
    return is_range(module, iterable) or isinstance(iterable, ast.List | ast.Tuple)


def is_range(module: Module, iterable: ast.expr) -> bool:
    """Whether it is a call of the builtin `range`."""
    match iterable:
        case ast.Call(func=ast.Name(id="range") as func):
            return module.scope_of("range", func) is None
    return False


def counts_iterations(module: Module, node: ast.AST) -> bool:
    """Whether `node` binds a number to each iteration: `for t in reversed(range(n))`, `for i, x in enumerate(xs)`."""
    match module.parent(node), node:
        case ast.For(target=target, iter=iterable), _ if target is node:
            match iterable:
                case ast.Call(func=ast.Name(id="reversed"), args=[inner]):
                    return is_range(module, inner)
            return is_range(module, iterable)
        case ast.Tuple(elts=[first, *_]) as pair, _ if first is node:
            match module.parent(pair):
                case ast.For(target=target, iter=ast.Call(func=ast.Name(id="enumerate"))):
                    return target is pair
    return False


def binds_alone(module: Module, statement: ast.stmt) -> bool:
    """Whether `statement`, or each one of a short loop, binds variables and does nothing else."""
    return is_assignment(statement) or counter_of(module, statement) is not None


def simple(parts: Iterable[ast.stmt | ast.expr]) -> Iterator[ast.stmt | ast.expr]:
    """The parts, in the place of loops what is in them: what they go through, and their statements."""
    for part in parts:
        if isinstance(part, ast.For):
            yield part.iter
            yield from simple(part.body)
        else:
            yield part
