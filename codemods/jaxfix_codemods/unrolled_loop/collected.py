"""Lists that a loop collects its results in, and that are stacked after it: outputs of a scan."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, frozen, walk
from jaxfix.api.library import Result, where
from jaxfix_codemods.looping.arrays import Arrays
from jaxfix_codemods.looping.rounds import Rounds

_STACK = "jax.numpy.stack"
_CONVERTERS = where(Result.CONVERTED)


@frozen
class Collected:
    """A list `name = []`, to which each iteration appends once.

    Attributes:
      start: the statement that makes the list.
      append: the statement of the loop.
      value: what is appended.
      stacks: calls of `jnp.stack`, which what the scan returns needs no more.
    """

    name: str
    start: ast.Assign
    append: ast.Expr
    value: ast.expr
    stacks: tuple[ast.Call, ...]


def collected(module: Module, rounds: Rounds) -> tuple[Collected, ...]:
    """The lists that can be outputs of a scan, in the order of the text."""
    return tuple(_collected(module, rounds))


def _collected(module: Module, rounds: Rounds) -> Iterator[Collected]:
    for statement in rounds.loop.body:
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name() as items, attr="append"), args=[value], keywords=[])
            ) if not isinstance(value, ast.Starred):
                found = _of_list(module, rounds, statement, items, value)
                if found is not None:
                    yield found


def _of_list(module: Module, rounds: Rounds, append: ast.Expr, items: ast.Name, value: ast.expr) -> Collected | None:
    binding = module.only_binding(items)
    start = module.parent(binding.node) if binding is not None else None
    if not isinstance(start, ast.Assign) or len(start.targets) != 1 or not _stand_together(module, start, rounds.loop):
        return None
    is_empty = isinstance(start.value, ast.List) and not start.value.elts
    if not is_empty or not isinstance(start.targets[0], ast.Name) or not _computes_alone(module, value):
        return None
    inside = set(walk(rounds.loop))
    stacks = []
    for use in module.uses(items.id, module.function(rounds.loop)):
        if use in (items, start.targets[0]):
            continue
        call = _taker(module, use)
        if use in inside or call is None or module.span(use).start < module.span(rounds.loop).end:
            return None
        if module.qualname(call.func) == _STACK:
            stacks.append(call)
        elif not (module.get(Arrays).is_one(value) and rounds.count):
            return None  # of no rounds it has another shape, and of tuples another order
    return Collected(items.id, start, append, value, tuple(stacks))


def _stand_together(module: Module, start: ast.stmt, loop: ast.For) -> bool:
    """Whether the list is made in the block of the loop, above it."""
    block = getattr(module.parent(loop), "body", ())
    return start in block and loop in block and module.span(start).end <= module.span(loop).start


def _computes_alone(module: Module, value: ast.expr) -> bool:
    """Whether nothing but operations of arrays is called for it."""
    calls = (node for node in walk(value) if isinstance(node, ast.Call))
    return not isinstance(value, ast.Tuple | ast.List | ast.Dict) and all(map(module.get(Arrays).is_sure, calls))


def _taker(module: Module, use: ast.Name) -> ast.Call | None:
    """The call that makes one array of the list, or of the list from its end."""
    whole: ast.expr = use
    match module.parent(use):
        case (
            ast.Subscript(
                slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)))
            ) as reversed_
        ):
            whole = reversed_
    match module.parent(whole):
        case ast.Call(args=[first], keywords=[]) as call if first is whole:
            return call if module.qualname(call.func) in (_STACK, *_CONVERTERS) else None
        case ast.Call(args=[first], keywords=[ast.keyword(arg="axis", value=ast.Constant(value=0))]) as call:
            return call if first is whole and module.qualname(call.func) == _STACK else None
    return None
