"""Whether a loop runs more than once, according to its text."""

import ast
from collections.abc import Sequence

from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.library.facets import Iteration
from jaxfix.library.table import short_names
from jaxfix.semantic.dominance import exits
from jaxfix.semantic.early_exit import may_exit_in_first_iteration
from jaxfix.semantic.integers import integer
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of
from jaxfix.syntax.nodes import statements

_THROUGH = short_names(Iteration.SAME_LENGTH)
_CONSUMERS = short_names(Iteration.CONSUMES)
_FEW = 2
FEW = 4
"""Iterations from which it pays to compile once rather than in each."""
HOT = 8
"""Iterations from which it pays to dispatch less in each."""


def may_iterate_twice(module: Module, loop: ast.AST) -> bool:
    """Whether nothing in the text of `loop` says that it runs once at most, or as its caller likes."""
    match loop:
        case ast.GeneratorExp(generators=[first, *_]):
            return _is_consumed(module, loop) and not _is_short(module, first.iter)
        case ast.ListComp(generators=generators) | ast.SetComp(generators=generators):
            return not all(_is_short(module, generator.iter) for generator in generators)
        case ast.DictComp(generators=generators):
            return not all(_is_short(module, generator.iter) for generator in generators)
        case ast.For(iter=iterable, body=body) | ast.AsyncFor(iter=iterable, body=body):
            is_left = _is_left(module, loop, body) or may_exit_in_first_iteration(module, loop)
            return not _is_short(module, iterable) and not is_left
        case ast.While(test=test, body=body):
            is_left = _is_left(module, loop, body) or may_exit_in_first_iteration(module, loop)
            return not _is_flag_that_falls(test, body) and not is_left
    return True


def iterations(module: Module, loop: ast.AST) -> int | None:
    """How often a loop over a display or a range runs at most, as its text says.

    Returns:
      None where the text does not say it.
    """
    match loop:
        case ast.For(iter=iterable) | ast.AsyncFor(iter=iterable):
            return _length(module, iterable)
        case ast.ListComp(generators=[only]) | ast.SetComp(generators=[only]) | ast.DictComp(generators=[only]):
            return _length(module, only.iter)
    return None


def _length(module: Module, iterable: ast.expr) -> int | None:
    match iterable:
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return None if any(isinstance(element, ast.Starred) for element in elements) else len(elements)
        case ast.Call(func=ast.Name(id="range" | "trange"), args=[*bounds]):
            known = [bound for each in bounds if (bound := integer(module, each)) is not None]
            is_range = 0 < len(known) == len(bounds) <= 3 and 0 not in known[2:]
            return len(range(*known)) if is_range else None
        case ast.Call(func=ast.Attribute(value=owner, attr="items" | "keys" | "values"), args=[]):
            return _length(module, owner)
        case ast.Dict(keys=keys):
            return None if None in keys else len(keys)
        case ast.Name(id=name) if name not in changes_of(module).roots:
            value = module.only_value(iterable)
            return _length(module, value) if isinstance(value, ast.List | ast.Tuple | ast.Dict) else None
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first]) if name in _THROUGH:
            return _length(module, first)
    return None


def _is_short(module: Module, iterable: ast.expr) -> bool:
    """Whether `iterable` has one element at most."""
    return module.get(_short)(iterable)


def _short(module: Module) -> Solver[ast.expr, bool]:
    return Solver(lambda iterable: _has_one_at_most(module, iterable), EXISTS)


def _has_one_at_most(module: Module, iterable: ast.expr) -> bool:
    match iterable:
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return len(elements) < _FEW and not any(isinstance(element, ast.Starred) for element in elements)
        case ast.Dict(keys=keys):
            return len(keys) < _FEW and None not in keys
        case ast.Constant(value=str() | bytes() as text):
            return len(text) < _FEW
        case ast.Call(func=ast.Name(id="range" | "trange"), args=[*bounds]):
            return _is_short_range([integer(module, bound) for bound in bounds])
        case ast.Call(func=ast.Attribute(value=owner, attr="items" | "keys" | "values"), args=[]):
            return _is_short(module, owner)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[_, *_]) if name in _THROUGH:
            return any(_is_short(module, argument) for argument in iterable.args)
        case ast.Name():
            value = module.only_value(iterable)
            return value is not None and _is_short(module, value)
    return False


def _is_short_range(bounds: Sequence[int | None]) -> bool:
    if not bounds or None in bounds or len(bounds) > 3 or 0 in bounds[2:]:
        return False
    return len(range(*(bound for bound in bounds if bound is not None))) < _FEW


def _is_consumed(module: Module, generator: ast.GeneratorExp) -> bool:
    """Whether all elements are asked for there and then."""
    match module.parent(generator):
        case ast.Call(func=ast.Name(id=name)) if name in _CONSUMERS:
            return True
        case ast.Call(func=ast.Attribute(attr="join" | "extend" | "fromiter")):
            return True
    return False


def _is_left(module: Module, loop: ast.AST, body: Sequence[ast.stmt]) -> bool:
    """Whether its first iteration leaves it if all goes well, or it waits in each for its consumer."""
    return _ends(body) or _returns(module, loop, body) or _yields(module, loop)


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether a statement that leaves the loop is reached on a straight way."""
    for statement in body:
        match statement:
            case ast.Return() | ast.Raise() | ast.Break():
                return True
            case ast.Continue():
                return False
            case ast.With(body=inner) | ast.AsyncWith(body=inner):
                if _ends(inner):
                    return True
            case ast.Try(body=inner, orelse=orelse, finalbody=final):
                if _ends((*inner, *orelse)) or _ends(final):
                    return True
            case ast.If(body=inner, orelse=orelse):
                if orelse and _ends(inner) and _ends(orelse):
                    return True
    return False


def _returns(module: Module, loop: ast.AST, body: Sequence[ast.stmt]) -> bool:
    """Whether the loop is a search: it returns what it finds."""
    found = [s for s in exits(module, loop) if isinstance(s, ast.Return) and s.value is not None]
    return bool(found) and any(statement in found for statement in statements(body))


def _yields(module: Module, loop: ast.AST) -> bool:
    return any(
        module.function(node) is module.function(loop) and loop in module.ancestors(node)
        for node in module.nodes(ast.Yield, ast.YieldFrom)
    )


def _is_flag_that_falls(test: ast.expr, body: Sequence[ast.stmt]) -> bool:
    """Whether `test` is a flag that each iteration clears: `while not done: ...; done = True`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=flag)):
            wanted = True
        case ast.Name(id=flag):
            wanted = False
        case _:
            return False
    return any(
        isinstance(statement, ast.Assign)
        and [target.id for target in statement.targets if isinstance(target, ast.Name)] == [flag]
        and isinstance(statement.value, ast.Constant)
        and bool(statement.value.value) is wanted
        for statement in body
    )
