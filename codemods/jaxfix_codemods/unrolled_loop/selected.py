"""Branches on the number of an iteration, such as that of the first or the last one: selections of two values."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from jaxfix.api import Code, Declined, Module, Reason, Rewriter, frozen, walk
from jaxfix.api.library import Member, Result, short_names, where
from jaxfix_codemods.looping.arrays import Arrays
from jaxfix_codemods.looping.rounds import Rounds
from jaxfix_codemods.unrolled_loop.starting import meets_array

_ABSTRACT = short_names(Member.ABSTRACT)
_FILLED = where(Result.FILLED) | where(Result.ALIKE)
_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_FINITE = (ast.Add, ast.Sub, ast.Mult)
_EXACT = (0, 1)
"""Numbers that Python and a device compute alike with."""


@frozen
class Selected:
    """A statement that binds its names as the number of the iteration says.

    Attributes:
      statement: the `if`, or the assignment of `a if number == 0 else b`.
      test: compares the number.
      values: each name, with its value where the test holds, and where it does not; None is the one that it has.
    """

    statement: ast.If | ast.Assign
    test: ast.expr
    values: tuple[tuple[str, ast.expr | None, ast.expr | None], ...]

    @property
    def given(self) -> Iterator[tuple[str, ast.expr]]:
        """Each name with each value that the text spells out."""
        return ((name, value) for name, *both in self.values for value in both if value is not None)


def selections(module: Module, rounds: Rounds) -> tuple[Selected, ...]:
    """The statements of a loop that can become selections.

    A value that is not selected is computed anyway: only those count that are elements, sums and products.
    """
    if rounds.number is None:
        return ()
    return tuple(each for statement in rounds.loop.body for each in _of(module, rounds, statement))


def _of(module: Module, rounds: Rounds, statement: ast.stmt) -> Iterator[Selected]:
    match statement:
        case ast.If(test=test, body=body, orelse=orelse):
            yes, no = _assigned(body), _assigned(orelse)
            if yes is None or no is None or not _compares(module, rounds, test):
                return
            found = Selected(statement, test, tuple((name, yes.get(name), no.get(name)) for name in {**yes, **no}))
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.IfExp(test=test, body=first, orelse=other)):
            if not _compares(module, rounds, test):
                return
            found = Selected(statement, test, ((name, first, other),))
        case _:
            return
    if all(_is_plain(module, value) for _, value in found.given) and not _depends(found):
        yield found


def _assigned(body: Sequence[ast.stmt]) -> dict[str, ast.expr] | None:
    """What each name is bound to, where each is bound once."""
    found: dict[str, ast.expr] = {}
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in found:
                found[name] = value
            case _:
                return None
    return found


def _depends(found: Selected) -> bool:
    """Whether a value reads another name that the statement binds, perhaps above it."""
    names = {name for name, *_ in found.values}
    return any(
        isinstance(node, ast.Name) and node.id in names - {name} for name, value in found.given for node in walk(value)
    )


def _compares(module: Module, rounds: Rounds, test: ast.expr) -> bool:
    """Whether it compares the number with integers that a trace knows."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
            sides = (left, test.comparators[0])
            reads = [_reads(rounds, side) for side in sides]
            return sorted(reads) == [False, True] and all(_is_whole(module, rounds, side) for side in sides)
    return False


def _reads(rounds: Rounds, side: ast.expr) -> bool:
    names = (node.id for node in walk(side) if isinstance(node, ast.Name))
    return rounds.number is not None and rounds.number.id in names


def _is_whole(module: Module, rounds: Rounds, expr: ast.expr) -> bool:
    match expr:
        case ast.Constant(value=value):
            return type(value) is int
        case ast.BinOp(left=left, op=op, right=right):
            return isinstance(op, _WHOLE) and all(_is_whole(module, rounds, side) for side in (left, right))
        case ast.Subscript(value=ast.Attribute(attr=attr)):
            return attr in _ABSTRACT
        case ast.Call(func=ast.Name(id="len")):
            return True
        case ast.Name(id=name) if rounds.number is not None and name == rounds.number.id:
            return True
        case ast.Name() | ast.Attribute():
            text = module.text(expr)
            parts = (part for bound in rounds.bounds for part in walk(bound) if isinstance(part, type(expr)))
            return any(module.text(part) == text for part in parts)
    return False


def _is_plain(module: Module, value: ast.expr) -> bool:
    """Whether it is finite where its operands are, costs little, and does nothing else."""
    match value:
        case ast.Name():
            return True
        case ast.Constant(value=number):
            return type(number) in (int, float)
        case ast.Attribute(value=inner):
            return _is_plain(module, inner)
        case ast.Subscript(value=inner, slice=index):
            return _is_plain(module, inner) and not any(isinstance(n, ast.Call | ast.NamedExpr) for n in walk(index))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_plain(module, operand)
        case ast.BinOp(left=left, op=op, right=right):
            return isinstance(op, _FINITE) and _is_plain(module, left) and _is_plain(module, right)
        case ast.Call(func=func, args=args, keywords=[]):
            return module.qualname(func) in _FILLED and all(_is_plain(module, each) for each in args)
    return False


def check_selections(module: Module, rounds: Rounds, found: Iterable[Selected]) -> None:
    """A Python number that one iteration takes must meet an array at once.

    Raises:
      Declined: Python may compute with it in double precision.
    """
    arrays = module.get(Arrays)
    for each in found:
        for name, *both in each.values:
            values = [value for value in both if value is not None]
            if not any(arrays.is_sure(value) or _is_likely_array(value) for value in values):
                text = f"`{name}` may be a number, with which Python computes in double precision"
                raise Declined(Reason(Code.ROUNDING, text, each.statement.lineno))
            for value in values:
                _check_number(module, rounds, name, value)


def _is_likely_array(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Subscript) for node in walk(value))


def _check_number(module: Module, rounds: Rounds, name: str, value: ast.expr) -> None:
    if not isinstance(value, ast.Constant | ast.UnaryOp):
        return
    is_exact = isinstance(value, ast.Constant) and value.value in _EXACT
    for statement in rounds.loop.body:
        for node in walk(statement):
            if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Load):
                continue
            if not is_exact or not meets_array(module, node, is_zero=not getattr(value, "value", 1)):
                text = f"one iteration computes with `{module.text(value)}` in Python, the others on the device"
                raise Declined(Reason(Code.ROUNDING, text, node.lineno))


def write_selections(module: Module, found: Iterable[Selected], edit: Rewriter) -> None:
    """Puts a `where` in the place of each branch."""
    for each in found:
        jnp = edit.imported("jax.numpy", prefer="jnp", at=each.statement)
        test = module.text(each.test)
        wheres = [f"{jnp}.where({test}, {_text(module, n, a)}, {_text(module, n, b)})" for n, a, b in each.values]
        if isinstance(each.statement, ast.Assign):
            edit.replace(each.statement.value, *wheres)
            continue
        *lines, last = (f"{name} = {where_}" for (name, *_), where_ in zip(each.values, wheres, strict=True))
        for line in lines:
            edit.insert_before(each.statement, line)
        edit.replace(each.statement, last)


def _text(module: Module, name: str, value: ast.expr | None) -> str:
    return name if value is None else module.text(value)
