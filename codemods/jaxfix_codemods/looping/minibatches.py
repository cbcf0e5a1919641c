"""Slices of arrays that a loop takes one after the other: `x[start : start + size]` for `range(0, rows, size)`."""

import ast

from jaxfix.api import Module, Rewriter, frozen, walk
from jaxfix.api.analysis import EXISTS, Solver, integer, is_alike
from jaxfix_codemods.looping.arrays import Arrays
from jaxfix_codemods.looping.rounds import Rounds


@frozen
class Minibatches:
    """The slices of a loop.

    Attributes:
      slices: `x[start : end]`, whole.
      ends: the statements that bind `end`, which nothing but slices reads.
      names: the number of the iteration and the ends, where nothing but slices reads them.
    """

    slices: tuple[ast.Subscript, ...]
    ends: tuple[ast.stmt, ...]
    names: frozenset[str]

    @property
    def apart(self) -> tuple[ast.AST, ...]:
        """What takes the number of the iteration as one of Python, and is written in another way."""
        return (*(each.slice for each in self.slices), *self.ends)


def minibatches(module: Module, rounds: Rounds) -> Minibatches:
    """The slices of a loop; none where the text says that the last one is shorter."""
    nothing = Minibatches((), (), frozenset())
    if rounds.number is None or len(rounds.bounds) != 3 or rounds.arrays or rounds.is_backward:
        return nothing
    start, rows, size = rounds.bounds
    whole, step = integer(module, rows), integer(module, size)
    if integer(module, start) != 0 or (whole is not None and step and whole % step):
        return nothing
    found = tuple(each for each in _subscripts(rounds) if _is_one(module, rounds, each))
    uppers = (each.slice.upper for each in found if isinstance(each.slice, ast.Slice))
    named = {upper.id for upper in uppers if isinstance(upper, ast.Name)}
    inside = {node for each in found for node in walk(each.slice)}
    ends = tuple(statement for statement in rounds.loop.body if _binds(statement) in named)
    inside |= {node for each in ends for node in walk(each)}
    names = frozenset({rounds.number.id, *named})
    scope = module.function(rounds.loop)
    others = (use for name in names for use in module.uses(name, scope) if isinstance(use.ctx, ast.Load))
    if not found or any(use not in inside for use in others) or len(ends) != len(named):
        return nothing
    return Minibatches(found, ends, names)


def _subscripts(rounds: Rounds) -> list[ast.Subscript]:
    return [node for each in rounds.loop.body for node in walk(each) if isinstance(node, ast.Subscript)]


def _is_one(module: Module, rounds: Rounds, node: ast.Subscript) -> bool:
    """Whether it is a slice of a JAX array that is as long as a step of the loop."""
    match node.slice:
        case ast.Slice(lower=ast.Name(id=name), upper=ast.expr() as upper, step=None):
            number, (_, rows, size) = rounds.number, rounds.bounds
            is_slice = number is not None and name == number.id and not isinstance(upper, ast.Call)
            is_slice = is_slice and is_end(module, upper, rounds.loop, name, rows, size)
            is_named = isinstance(node.value, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
            return is_slice and is_named and module.get(Arrays).is_one(node.value)
    return False


def _binds(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp()):
            return name
    return None


def write_minibatches(module: Module, rounds: Rounds, found: Minibatches, edit: Rewriter) -> None:
    """Takes rows of an array that is reshaped: where there are fewer or more than the steps ask for, JAX raises."""
    if not found.slices or rounds.number is None:
        return
    rows, size = (module.text(each) for each in rounds.bounds[1:])
    whole, step = (_operand(each, text) for each, text in zip(rounds.bounds[1:], (rows, size), strict=True))
    for each in found.slices:
        array = module.text(each.value)
        shape = f"{whole} // {step}, {size}, *{array}.shape[1:]"
        edit.replace(each, f"{array}[:{rows}].reshape({shape})[{rounds.number.id} // {step}]")
    for statement in found.ends:
        edit.delete(statement)


def _operand(node: ast.expr, text: str) -> str:
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Constant | ast.Subscript) else f"({text})"


def is_end(module: Module, end: ast.expr, loop: ast.For, counter: str, rows: ast.expr, size: ast.expr) -> bool:
    """Whether it is the end of a batch that begins at `counter`, the end of all rows included."""
    return module.get(_ends)((end, loop, counter, rows, size))


def _ends(module: Module) -> Solver[tuple[ast.expr, ast.For, str, ast.expr, ast.expr], bool]:
    return Solver(lambda asked: _ends_batch(module, *asked), EXISTS)


def _ends_batch(module: Module, end: ast.expr, loop: ast.For, counter: str, rows: ast.expr, size: ast.expr) -> bool:
    match end:
        case ast.BinOp(left=ast.Name(id=first), op=ast.Add(), right=more):
            return first == counter and is_alike(more, size)
        case ast.Call(func=ast.Name(id="min"), args=[one, other], keywords=[]):
            pairs = ((one, other), (other, one))
            return any(is_end(module, a, loop, counter, rows, size) and is_alike(b, rows) for a, b in pairs)
        case ast.Name():
            value = module.only_value(end)
            is_here = value is not None and loop in module.ancestors(value)
            return value is not None and is_here and is_end(module, value, loop, counter, rows, size)
    return False
