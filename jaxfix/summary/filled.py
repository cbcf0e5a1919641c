"""What a file may fill in place, of other files, or give to code that may: lists, dictionaries and NumPy arrays."""

import ast
from collections.abc import Container, Iterator

from jaxfix.effects.aliases import VIEWS, only_reads
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import is_own_object
from jaxfix.summary.borrowed import Borrowed

_QUIET = frozenset(
    {ast.BinOp, ast.Compare, ast.UnaryOp, ast.BoolOp, ast.Expr, ast.If, ast.While, ast.Assert, ast.FormattedValue}
)


def filled(module: Module, packages: Container[str]) -> tuple[str, ...]:
    """The attributes of strange objects, and the variables of other files, whose object may be changed in place.

    Args:
      packages: as for `facts`.
    """
    others = Borrowed(module, packages)
    return tuple(dict.fromkeys((*_attributes(others), *_variables(others))))


def _attributes(others: Borrowed) -> Iterator[str]:
    module = others.module
    parents = module.index.parents
    for attribute, nodes in module.index.attributes.items():
        for node in nodes:
            parent = parents[node]
            if node.ctx.__class__ is not ast.Load or parent.__class__ in _QUIET:
                continue
            if _is_called(node, parent):
                continue  # a method
            if isinstance(parent, ast.Attribute) and _is_read_of(parent, parents[parent]):
                continue
            if is_own_object(module, node.value) or _is_of_library(others, node):
                continue
            if not only_reads(module, node, nests=True, parts=True):
                yield attribute
                break


def _is_read_of(part: ast.Attribute, around: ast.AST) -> bool:
    """Whether the object is asked for a part alone, which is judged by its own name, as most are."""
    return not _is_called(part, around) and part.ctx.__class__ is ast.Load and part.attr not in VIEWS


def _is_of_library(others: Borrowed, node: ast.expr) -> bool:
    qualname = others.module.qualname(node)
    return qualname is not None and not others.is_theirs(qualname)


def _variables(others: Borrowed) -> Iterator[str]:
    """Those that it imports by their names, of modules whose names it takes all too."""
    module, spelled = others.module, others.module.names.by_id
    for name in spelled if others.stars else others.theirs.keys() & spelled.keys():
        for node in spelled[name]:
            if not isinstance(node.ctx, ast.Load) or isinstance(module.parent(node), ast.Attribute):
                continue
            if not only_reads(module, node, nests=True, parts=True) and not _is_called(node, module.parent(node)):
                yield from (of.rpartition(".")[2] for of in others.named(node))


def _is_called(func: ast.expr, around: ast.AST | None) -> bool:
    return isinstance(around, ast.Call) and around.func is func
