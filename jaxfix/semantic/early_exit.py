"""Whether a loop may end in its first iteration: by a `break` or a `return` that is not shown to be rare."""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence

from jaxfix.library.facets import Iteration, Result
from jaxfix.library.table import short_names
from jaxfix.semantic.integers import ARITHMETIC, integer
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import FUNCTIONS, children, walk

_SCOPES = (*FUNCTIONS, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COUNTED = short_names(Iteration.COUNTS)
_BAD = short_names(Result.NOT_FINITE)
_GOOD = short_names(Result.FINITE)
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


@frozen
class _Counter:
    """A variable that counts rounds; its values in the first one, where they are known."""

    firsts: tuple[int, ...] = ()


def may_exit_in_first_iteration(module: Module, loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Whether a way out of `loop` may be taken in its first iteration if all goes well.

    Rare are the ways of errors, and those that wait for a count or for the clock.
    """
    leaves = list(_leaves(loop.body))
    counters = dict(_counters(module, loop)) if leaves else {}
    return any(not any(_is_rare(module, test, counters, holds=holds) for test, holds in leaf) for leaf in leaves)


Guards = tuple[tuple[ast.expr, bool], ...]
"""The tests on the way to a statement, and whether each holds there."""


def _leaves(body: Sequence[ast.stmt], guards: Guards = (), *, nested: bool = False) -> Iterator[Guards]:
    """What guards each way out of the loop; `nested` in a loop inside, of which a `break` ends only that one."""
    for statement in body:
        match statement:
            case ast.Return():
                yield guards
            case ast.Break() if not nested:
                yield guards
            case ast.If(test=test, body=inner, orelse=orelse):
                yield from _leaves(inner, (*guards, (test, True)), nested=nested)
                yield from _leaves(orelse, (*guards, (test, False)), nested=nested)
            case ast.With(body=inner) | ast.AsyncWith(body=inner):
                yield from _leaves(inner, guards, nested=nested)
            case ast.Try(body=inner, orelse=orelse, finalbody=final):
                yield from _leaves((*inner, *orelse, *final), guards, nested=nested)
            case ast.Match(cases=cases):
                for case in cases:
                    yield from _leaves(case.body, guards, nested=nested)
            case ast.For(body=inner, orelse=orelse) | ast.AsyncFor(body=inner, orelse=orelse):
                yield from _leaves(inner, guards, nested=True)
                yield from _leaves(orelse, guards, nested=nested)
            case ast.While(body=inner, orelse=orelse):
                yield from _leaves(inner, guards, nested=True)
                yield from _leaves(orelse, guards, nested=nested)


def _is_rare(module: Module, test: ast.expr, counters: Mapping[str, _Counter], *, holds: bool) -> bool:
    """Whether `test` hardly holds in the first iteration; with `holds` false, whether it hardly fails."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_rare(module, operand, counters, holds=not holds)
        case ast.BoolOp(op=op, values=values):
            parts = [_is_rare(module, value, counters, holds=holds) for value in values]
            return any(parts) if isinstance(op, ast.And) is holds else all(parts)
        case ast.Compare(ops=[_]):
            return _is_rare_comparison(module, test, counters, holds=holds)
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name in (_BAD if holds else _GOOD)
    return False


def _is_rare_comparison(module: Module, test: ast.Compare, counters: Mapping[str, _Counter], *, holds: bool) -> bool:
    left, op, right = test.left, test.ops[0], test.comparators[0]
    if any(reads_the_clock(module, side) for side in (left, right)):
        return True
    if type(op) not in _COMPARISONS or not (_counts(left, counters) or _counts(right, counters)):
        return False
    known = [
        _COMPARISONS[type(op)](a, b) is holds
        for a in _values(module, left, counters)
        for b in _values(module, right, counters)
    ]
    return not any(known)


def _counts(expr: ast.expr, counters: Mapping[str, _Counter]) -> bool:
    """Whether `expr` is a counter, or one and a number."""
    match expr:
        case ast.Name(id=name):
            return name in counters
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return f"len({name})" in counters
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            return _counts(left, counters) or _counts(right, counters)
    return False


def _values(module: Module, expr: ast.expr, counters: Mapping[str, _Counter]) -> tuple[int, ...]:
    """What `expr` can be in the first iteration; nothing where that is not known."""
    match expr:
        case ast.Constant(value=int() as number):
            return (number,)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return tuple(-value for value in _values(module, operand, counters))
        case ast.Name(id=name) if name in counters:
            return counters[name].firsts
        case ast.Name():
            found = integer(module, expr)
            return () if found is None else (found,)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            apply = ARITHMETIC[type(op)]
            return tuple(apply(a, b) for a in _values(module, left, counters) for b in _values(module, right, counters))
    return ()


def reads_the_clock(module: Module, expr: ast.AST) -> bool:
    """Whether `expr`, or a part of it, asks what time it is."""
    return any(
        isinstance(node, ast.Call) and (module.qualname(node.func) or "").startswith("time.") for node in walk(expr)
    )


# --- counters -------------------------------------------------------------------------------------------------


def _counters(module: Module, loop: ast.For | ast.AsyncFor | ast.While) -> Iterator[tuple[str, _Counter]]:
    if not isinstance(loop, ast.While):
        yield from _of_target(module, loop.target, loop.iter)
    for node in _own_nodes(loop.body):
        match node:
            case ast.AugAssign(
                target=ast.Name(id=name), op=ast.Add() | ast.Sub() as op, value=ast.Constant(value=int() as by)
            ):
                yield name, _Counter(_around(module, node, loop, by if isinstance(op, ast.Add) else -by))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append")):
                yield f"len({name})", _Counter()


def _of_target(module: Module, target: ast.expr, iterable: ast.expr) -> Iterator[tuple[str, _Counter]]:
    match iterable:
        case ast.Call(func=ast.Name(id="tqdm") | ast.Attribute(attr="tqdm"), args=[inner, *_]):
            yield from _of_target(module, target, inner)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in _COUNTED:
            match target:
                case ast.Name(id=counter) if name != "enumerate":
                    yield counter, _Counter(_start(module, args, name))
                case ast.Tuple(elts=[ast.Name(id=counter), *_]) if name == "enumerate":
                    yield counter, _Counter(_start(module, args[1:2], "count"))


def _start(module: Module, args: Sequence[ast.expr], name: str) -> tuple[int, ...]:
    is_given = len(args) > (1 if name in ("range", "trange") else 0)
    return _values(module, args[0], {}) if is_given else (0,)


def _around(module: Module, step: ast.AugAssign, loop: ast.stmt, by: int) -> tuple[int, ...]:
    """What is counted to by the end of the first iteration, and before it."""
    target = step.target
    if not isinstance(target, ast.Name) or (scope := module.scope_of(target.id, target)) is None:
        return ()
    before = [b.node for b in module.bindings(target.id, scope) if loop not in module.ancestors(b.node)]
    values = [module.value_of(node) for node in before if isinstance(node, ast.Name)]
    firsts = [first for value in values if value is not None for first in _values(module, value, {})]
    return tuple(n for first in firsts for n in (first, first + by))


def _own_nodes(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _SCOPES):
            pending += children(node)
