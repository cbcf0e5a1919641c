"""Lists that a loop collects its results in, and that are stacked after it: outputs of a scan."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, frozen, walk
from jaxfix.api.analysis import integer, reaching
from jaxfix.api.library import Result, where
from jaxfix_codemods.looping.arrays import Arrays
from jaxfix_codemods.looping.rounds import Rounds
from jaxfix_codemods.looping.seen import are_some, iterations_seen

_STACK = "jax.numpy.stack"
_JOIN = "jax.numpy.concatenate"
_CONVERTERS = where(Result.CONVERTED)
STACKED = frozenset({_STACK, _JOIN})
"""What takes a list, and makes of an array another one."""


@frozen
class Taken:
    """A call that makes one array of a list.

    Attributes:
      call: of `jnp.stack`, `jnp.concatenate` or `jnp.array`.
      is_turned: whether it takes the entries from the last iteration to the first.
      by: the canonical name of what is called.
      axis: where the entries are put.
    """

    call: ast.Call
    is_turned: bool
    by: str
    axis: int

    def text(self, rows: str, jnp: str) -> str:
        """The same of the array that has the entries as its rows."""
        if self.by == _JOIN:
            name = rows.partition("[")[0]
            return f"{jnp}.reshape({rows}, (-1, *{name}.shape[2:]))"
        return f"{jnp}.moveaxis({rows}, 0, {self.axis})" if self.axis else rows


@frozen
class Collected:
    """A list `name = []`, to which each iteration adds one entry, at its end or at its start.

    Attributes:
      start: the statement that makes the list, and other lists of the loop with it.
      append: the statement of the loop.
      value: what is added.
      taken: the calls that make an array of it; the others take an array as they take a list.
      turning: the statement after the loop that reverses the list in place.
    """

    name: str
    start: ast.Assign
    append: ast.Expr
    value: ast.expr
    taken: tuple[Taken, ...]
    turning: ast.stmt | None = None

    @property
    def started(self) -> tuple[str, ...]:
        """The lists that its first statement makes."""
        return tuple(node.id for node in walk(self.start.targets[0]) if isinstance(node, ast.Name))

    @property
    def is_turned(self) -> bool:
        """Whether the rows are only ever read from the last to the first."""
        return bool(self.taken) and all(each.is_turned for each in self.taken)


def collected(module: Module, rounds: Rounds) -> tuple[Collected, ...]:
    """The lists that can be outputs of a scan, in the order of the text."""
    found = tuple(_collected(module, rounds))
    names = {each.name for each in found}
    return tuple(each for each in found if names.issuperset(each.started))


def _collected(module: Module, rounds: Rounds) -> Iterator[Collected]:
    for statement in rounds.loop.body:
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name() as items, attr="append" | "insert"), args=args, keywords=[]
                )
            ) if is_adding(statement) and not isinstance(args[-1], ast.Starred):
                found = _of_list(module, rounds, statement, items, args[-1])
                if found is not None:
                    yield found


def is_adding(statement: ast.stmt) -> bool:
    """Whether it is `items.append(x)` or `items.insert(0, x)`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[_])):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="insert"), args=[ast.Constant(value=0), _])):
            return True
    return False


def _of_list(module: Module, rounds: Rounds, append: ast.Expr, items: ast.Name, value: ast.expr) -> Collected | None:
    scope = module.function(rounds.loop)
    bindings = module.bindings(items.id, scope)
    made = reaching(module, items, bindings)
    start = module.statement(made[0].node) if len(made) == 1 else None
    if not isinstance(start, ast.Assign) or len(start.targets) != 1 or not _stand_together(module, start, rounds.loop):
        return None
    if not _makes_empty_lists(start.targets[0], start.value) or not _computes_alone(module, value):
        return None
    found, turning = list[Taken](), None
    is_turned = isinstance(append.value, ast.Call) and len(append.value.args) == 2
    for use in module.uses(items.id, scope):
        if use is items or isinstance(use.ctx, ast.Store):
            continue
        if made[0] not in (ways := reaching(module, use, bindings)):
            continue
        turns = _turning(module, use, rounds.loop) if turning is None and not found else None
        if turns is not None:
            turning, is_turned = turns, not is_turned
            continue
        if not is_turned and _is_element(module, use, rounds.loop) and module.get(Arrays).is_one(value):
            continue  # an array has it in the same place
        taken = _taken(module, use, is_turned=is_turned) if len(ways) == 1 else None
        if taken is None or not _is_behind(module, use, rounds.loop):
            return None
        is_some = bool(rounds.count) or are_some(module, iterations_seen(module, rounds.loop))
        if taken.by in _CONVERTERS and not (module.get(Arrays).is_one(value) and is_some):
            return None  # of no rounds it has another shape, and of tuples another order
        found.append(taken)
    return Collected(items.id, start, append, value, tuple(found), turning)


def _is_element(module: Module, use: ast.Name, loop: ast.For) -> bool:
    """Whether it reads one entry, counted from the start or the end, after the loop."""
    match module.parent(use):
        case ast.Subscript(slice=number, ctx=ast.Load()):
            return integer(module, number) is not None and _is_behind(module, use, loop)
    return False


def _turning(module: Module, use: ast.Name, loop: ast.For) -> ast.stmt | None:
    """The statement `items.reverse()` that is in the block of the loop, after it."""
    statement, block = module.statement(use), getattr(module.parent(loop), "body", ())
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr="reverse"), args=[], keywords=[])):
            is_after = statement in block and module.span(statement).start >= module.span(loop).end
            return statement if value is use and is_after else None
    return None


def _makes_empty_lists(target: ast.expr, value: ast.expr) -> bool:
    """Whether it is `items = []`, or `items, others = [], []`."""
    match target, value:
        case ast.Name(), ast.List(elts=[]):
            return True
        case ast.Tuple(elts=names), ast.Tuple(elts=lists) if len(names) == len(lists):
            return all(map(_makes_empty_lists, names, lists))
    return False


def _is_behind(module: Module, use: ast.Name, loop: ast.For) -> bool:
    return module.span(use).start >= module.span(loop).end


def _stand_together(module: Module, start: ast.stmt, loop: ast.For) -> bool:
    """Whether the list is made in the block of the loop, above it."""
    block = getattr(module.parent(loop), "body", ())
    return start in block and loop in block and module.span(start).end <= module.span(loop).start


def _computes_alone(module: Module, value: ast.expr) -> bool:
    """Whether nothing but operations of arrays is called for it."""
    calls = (node for node in walk(value) if isinstance(node, ast.Call))
    return not isinstance(value, ast.Tuple | ast.List | ast.Dict) and all(map(module.get(Arrays).is_sure, calls))


def _taken(module: Module, use: ast.Name, *, is_turned: bool) -> Taken | None:
    """The call that makes one array of the list, or of the list from its end.

    Args:
      is_turned: whether the entries are in the list from the last iteration to the first.
    """
    whole: ast.expr = use
    match module.parent(use):
        case (
            ast.Subscript(
                slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)))
            ) as reversed_
        ):
            whole = reversed_
    match module.parent(whole):
        case ast.Call(args=[first, *rest], keywords=keywords) as call if first is whole:
            by, axis = module.qualname(call.func) or "", _axis(rest, keywords)
            is_known = (
                (by == _STACK and axis is not None)
                or (by == _JOIN and axis == 0)
                or (by in _CONVERTERS and not rest and not keywords)
            )
            return Taken(call, (whole is not use) is not is_turned, by, axis or 0) if is_known else None
    return None


def _axis(rest: list[ast.expr], keywords: list[ast.keyword]) -> int | None:
    match rest, keywords:
        case [], []:
            return 0
        case ([ast.Constant(value=int() as axis)], []) | ([], [ast.keyword("axis", ast.Constant(value=int() as axis))]):
            return axis
        case [], [ast.keyword("axis", ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as axis)))]:
            return -axis
    return None
