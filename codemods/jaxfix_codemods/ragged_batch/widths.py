"""Batches that are cut to the longest of their rows: another width is another program, as another length is."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, Rewriter, frozen, walk
from jaxfix_codemods.ragged_batch.loops import Batches

_LONGEST = frozenset({"max", "amax"})


@frozen
class Width:
    """A subscript `x[rows, :longest]`.

    Attributes:
      cut: the indices.
      rows: the first of them.
      of: what is cut.
      longest: the variable, a number that the loop takes from the rows of the batch.
      bound: the statement that binds it.
    """

    cut: ast.Tuple
    rows: ast.expr
    of: ast.expr
    longest: str
    bound: ast.Assign


def widths(module: Module, found: Batches) -> tuple[Width, ...]:
    """What the loop cuts to a width of its own; of a variable that is read for anything else, nothing."""
    every = [*_cuts(module, found)]
    return tuple(each for each in every if _is_read_for_cuts_alone(module, each, every))


def whole(widths: tuple[Width, ...], rows: dict[ast.Slice, str], module: Module, edit: Rewriter) -> None:
    """Takes all columns in place of those of the longest row."""
    for each in widths:
        edit.replace(each.cut, _text(module, each, rows))
    for statement in dict.fromkeys(each.bound for each in widths):
        edit.delete(statement)


def refilled(widths: tuple[Width, ...], rows: dict[ast.Slice, str], module: Module, np: str, edit: Rewriter) -> None:
    """The same with other values in the columns past the longest row: its first ones again."""
    for each in widths:
        columns = f"{np}.arange({module.text(each.of)}.shape[1]) % {each.longest}"
        edit.replace(each.cut, _text(module, each, rows))
        edit.wrap(_around(module, each), "", f"[:, {columns}]")


def _text(module: Module, width: Width, rows: dict[ast.Slice, str]) -> str:
    return rows[width.rows] if isinstance(width.rows, ast.Slice) else module.text(width.rows)


def _around(module: Module, width: Width) -> ast.expr:
    around = module.parent(width.cut)
    assert isinstance(around, ast.Subscript)
    return around


def _cuts(module: Module, found: Batches) -> Iterator[Width]:
    for node in walk(found.loop):
        match node:
            case ast.Subscript(
                value=ast.Name() as of,
                slice=ast.Tuple(elts=[rows, ast.Slice(lower=None, upper=ast.Name() as longest, step=None)]) as cut,
            ) if found.holds(rows) and isinstance(node.ctx, ast.Load):
                bound = _bound(module, found, longest)
                if bound is not None and not isinstance(module.only_value(of), ast.List):
                    yield Width(cut, rows, of, longest.id, bound)


def _bound(module: Module, found: Batches, longest: ast.Name) -> ast.Assign | None:
    """The statement of the loop that takes the longest of the batch."""
    binding = module.names.only_binding(longest)
    statement = module.parent(binding.node) if binding is not None else None
    if not isinstance(statement, ast.Assign) or statement not in found.loop.body or len(statement.targets) != 1:
        return None
    calls = [node for node in walk(statement.value) if isinstance(node, ast.Call)]
    names = {getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls}
    return statement if names & _LONGEST and found.holds(statement.value) else None


def _is_read_for_cuts_alone(module: Module, width: Width, every: list[Width]) -> bool:
    scope = module.scope_of(width.longest, width.bound.targets[0])
    uppers = {each.cut.elts[1].upper for each in every if isinstance(each.cut.elts[1], ast.Slice)}
    return all(read in uppers for read in module.reads(width.longest, scope))
