"""Arrays that a loop reads row by row, `x[:, t]`: scanned, so that no iteration has a gradient as large as they."""

import ast
from collections.abc import Iterator

from jaxfix.api import Declined, Module, Rewriter, frozen, walk
from jaxfix.api.analysis import integer, is_alike
from jaxfix.api.library import Transform, where
from jaxfix_codemods.looping.arrays import Arrays
from jaxfix_codemods.looping.minibatches import minibatches
from jaxfix_codemods.looping.reads import check_reads
from jaxfix_codemods.looping.rounds import Rounds
from jaxfix_codemods.unrolled_loop.carried import Carry
from jaxfix_codemods.unrolled_loop.selected import selections
from jaxfix_codemods.unrolled_loop.widening import widened

_DERIVATIVES = where(Transform.DIFFERENTIATES)


@frozen
class Operand:
    """An array that the loop does not bind, with its reads of the row of each iteration.

    Attributes:
      axis: along which the rows are; -1 for the last one.
      indices: what the array is taken by from another one, where the axis is one of theirs and nothing else reads it.
    """

    array: ast.Name
    axis: int
    reads: tuple[ast.Subscript, ...]
    indices: ast.Name | None = None

    def text(self, module: Module, rounds: Rounds, jnp: str) -> str:
        """The rows that the loop reads, one after the other."""
        name, stop = self.array.id, rounds.bounds[-1]
        if self.indices is not None:
            return name
        before = "..., " if self.axis < 0 else ":, " * self.axis
        is_whole = is_length(module, stop, self.array, self.axis)
        rows = name if is_whole else f"{name}[{before}:{module.text(stop)}]"
        return f"{jnp}.moveaxis({rows}, {self.axis}, 0)" if self.axis else rows


def is_length(module: Module, stop: ast.expr, array: ast.Name, axis: int) -> bool:
    """Whether `stop` is how many rows `array` has along `axis`: `x.shape[1]`, or `len(x)`."""
    match stop:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=given):
            return name == array.id and integer(module, given) == axis
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return name == array.id and axis == 0
        case ast.Name():
            return _is_unpacked(module, stop, array, axis)
    return False


def _is_unpacked(module: Module, stop: ast.Name, array: ast.Name, axis: int) -> bool:
    """Whether `stop` comes of `rows, stop = array.shape`, and neither is bound otherwise."""
    only = module.names.only_binding(stop)
    statement = module.statement(only.node) if only is not None else None
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=sizes)], value=ast.Attribute(value=ast.Name(id=name) as whole, attr="shape")
        ) if name == array.id and 0 <= axis < len(sizes) and sizes[axis] is getattr(only, "node", None):
            return module.names.only_binding(whole) is not None
    return False


def operands(module: Module, rounds: Rounds, carry: Carry) -> tuple[Operand, ...]:
    """The arrays that are read row by row, where the file takes a derivative; none where a read needs the number.

    An index of a loop is differentiated as a sum, over the iterations, of arrays that are zero except for one row.
    """
    is_plain = rounds.number is not None and rounds.counts_up and not rounds.arrays and _starts_at_zero(module, rounds)
    if not is_plain or not module.names.may_name(_DERIVATIVES):
        return ()
    if selections(module, rounds) or minibatches(module, rounds).apart or widened(module, rounds, carry):
        return ()
    found: dict[tuple[str, int], list[ast.Subscript]] = {}
    for read in _subscripts(rounds):
        axis = _axis(module, rounds, read)
        if axis is not None and isinstance(read.value, ast.Name) and _is_outside(module, rounds, carry, read.value):
            found.setdefault((read.value.id, axis), []).append(read)
    every = tuple(
        Operand(_name(reads[0]), axis, tuple(reads), _indices(module, rounds, reads, axis))
        for (_, axis), reads in found.items()
        if _is_read_so_alone(rounds, reads)
    )
    try:
        check_reads(module, rounds, [read for each in every for read in each.reads], is_scanned=True)
    except Declined:
        return ()
    return every


def _is_read_so_alone(rounds: Rounds, reads: list[ast.Subscript]) -> bool:
    """Whether an iteration reads nothing else of the array, which would have to be kept for its gradient then."""
    name, own = _name(reads[0]).id, {each.value for each in reads}
    inside = (node for statement in rounds.loop.body for node in walk(statement))
    return all(node in own for node in inside if isinstance(node, ast.Name) and node.id == name)


def _indices(module: Module, rounds: Rounds, reads: list[ast.Subscript], axis: int) -> ast.Name | None:
    """The parameter `i` of `x = table[i]`: with its axes in another order there is no second copy of `x`."""
    array, own = _name(reads[0]), {each.value for each in reads}
    made = module.only_value(array)
    match made:
        case ast.Subscript(slice=ast.Name() as indices) if axis > 0:
            only = module.names.only_binding(indices)
            is_given = only is not None and isinstance(only.node, ast.arg) and _is_of(module, rounds, indices)
            is_alone = all(use in own for use in module.reads(array.id, module.scope_of(array.id, array)))
            is_own = is_given and is_alone and module.function(made) is module.function(rounds.loop)
            return indices if is_own and is_length(module, rounds.bounds[-1], indices, axis) else None
    return None


def _is_of(module: Module, rounds: Rounds, name: ast.Name) -> bool:
    return module.scope_of(name.id, name) is module.function(rounds.loop)


def _name(read: ast.Subscript) -> ast.Name:
    assert isinstance(read.value, ast.Name)
    return read.value


def _starts_at_zero(module: Module, rounds: Rounds) -> bool:
    return len(rounds.bounds) == 1 or integer(module, rounds.bounds[0]) == 0


def _subscripts(rounds: Rounds) -> Iterator[ast.Subscript]:
    for statement in rounds.loop.body:
        yield from (each for each in walk(statement) if isinstance(each, ast.Subscript))


def _axis(module: Module, rounds: Rounds, read: ast.Subscript) -> int | None:
    """The axis of an array that the number of the iteration is an index of, and all else is taken whole."""
    elements = read.slice.elts if isinstance(read.slice, ast.Tuple) else [read.slice]
    places = [at for at, each in enumerate(elements) if _is_number(module, rounds, each)]
    if len(places) != 1 or not isinstance(read.ctx, ast.Load):
        return None
    (at,) = places
    before, after = elements[:at], elements[at + 1 :]
    if len(before) == 1 and _is_rest(before[0]) and not after:
        return -1
    if not all(map(_is_whole, before)) or not all(_is_whole(each) or _is_rest(each) for each in after):
        return None
    is_array = len(elements) > 1 or module.get(Arrays).is_one(read.value)
    return at if is_array else None


def _is_number(module: Module, rounds: Rounds, expr: ast.expr) -> bool:
    if not isinstance(expr, ast.Name) or rounds.number is None or expr.id != rounds.number.id:
        return False
    return module.scope_of(expr.id, expr) is module.function(rounds.loop)


def _is_whole(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Slice) and expr.lower is expr.upper is expr.step is None


def _is_rest(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is Ellipsis


def _is_outside(module: Module, rounds: Rounds, carry: Carry, name: ast.Name) -> bool:
    """Whether the variable is one that the loop reads alone, and no parameter of a function in it."""
    is_bound = name.id in carry.bound or is_alike(rounds.loop.target, name)
    return not is_bound and module.scope_of(name.id, name) not in set(walk(rounds.loop))


def write_indices(every: tuple[Operand, ...], jnp: str, edit: Rewriter) -> None:
    """Takes the rows of those that are taken by indices in the order of the loop."""
    for each in every:
        if each.indices is not None:
            edit.replace(each.indices, f"{jnp}.moveaxis({each.indices.id}, {each.axis}, 0)")


def write_operands(
    rounds: Rounds, every: tuple[Operand, ...], names: tuple[str, ...], row: str, unread: str, edit: Rewriter
) -> None:
    """Binds the rows of an iteration at its start, in the place of their reads.

    Args:
      names: of the rows.
      unread: what the number is bound to where nothing else reads it.
    """
    number = rounds.number
    assert number is not None
    reads = {node for each in every for read in each.reads for node in walk(read)}
    is_read = any(
        isinstance(node, ast.Name) and node.id == number.id and node not in reads
        for statement in rounds.loop.body
        for node in walk(statement)
    )
    edit.insert_before(rounds.loop.body[0], f"{', '.join([number.id if is_read else unread, *names])} = {row}")
    for each, name in zip(every, names, strict=True):
        for read in each.reads:
            edit.replace(read, name)
