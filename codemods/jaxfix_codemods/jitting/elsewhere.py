"""Functions of other files of the project that a step calls: whether a trace does what each call does."""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import DOES_MORE, Values
from jaxfix.api.library import Package, Transform, where

_TRANSFORMING = where(Transform.ONLY_VALUES)
_OPERATING = where(Package.OPERATES)


def check_elsewhere(module: Module, values: Values, nodes: Iterable[ast.Name | ast.Attribute]) -> None:
    """Refuses code that uses a function, or a method of an object, of another file that does more than compute.

    What functions of other files use is not asked for, and no operation of JAX, should its files be among them: all its
    functions would be read for that.

    Args:
      nodes: what the code reads, as `used` says.

    Raises:
      Declined: it counts, prints or draws, or reads what changes.
    """
    for node in nodes:
        for name in _names(module, values, node):
            is_operation = name.rpartition(".")[0] in _OPERATING
            if not is_operation and module.surroundings.project.ask(DOES_MORE, name):
                text = f"`{module.text(node)}`, of another file, does more than compute, or reads what changes"
                raise Declined(Reason(Code.IMPURE, text))


def used(module: Module, parts: Iterable[ast.AST]) -> Iterator[ast.Name | ast.Attribute]:
    """The names and attributes that `parts` read, and the functions of this file that these name."""
    pending, met = [*parts], set[ast.AST]()
    while pending:
        for node in walk(pending.pop()):
            if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            yield node
            value = module.only_value(node)
            behind = module.definition(node), value if isinstance(value, ast.Name | ast.Attribute) else None
            new = [each for each in behind if each is not None and each not in met]
            met.update(new)
            pending += new


def _names(module: Module, values: Values, node: ast.Name | ast.Attribute) -> Iterator[str]:
    """The dotted names of what it may be in other files: of a method that of its class."""
    qualname = module.qualname(node)
    if qualname is not None:
        yield module.surroundings.absolute(qualname)
        return
    value = module.only_value(node) if isinstance(node, ast.Name) else None
    sources = [value] if value is not None else [node]
    for source in sources:
        match source:
            case ast.Attribute(value=holder, attr=attr):
                for made in values.origins.of(holder):
                    by = module.qualname(made.func) if isinstance(made, ast.Call) else None
                    if by is not None:
                        yield f"{module.surroundings.absolute(by)}.{attr}"
            case ast.Call(func=func) if (by := module.qualname(func)) is not None and _is_function(module, node):
                yield module.surroundings.absolute(by)


def _is_function(module: Module, node: ast.expr) -> bool:
    """Whether it is called, or what a transformation takes first."""
    call = module.parent(node)
    if not isinstance(call, ast.Call):
        return False
    return call.func is node or (call.args[:1] == [node] and module.qualname(call.func) in _TRANSFORMING)
