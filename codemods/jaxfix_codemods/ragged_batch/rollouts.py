"""Lists that a loop fills until something ends it, and that a jitted step is given as arrays: each length compiles."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, Staging, frozen, jit_of, walk
from jaxfix.api.analysis import Argument, iterations
from jaxfix.api.library import Effect, Result, where

_LOOPS = (ast.For, ast.While)
_MOST_NAMES = 6
"""Variables and functions on the way from an argument to the list that it is made of."""
_OF_LISTS = where(Result.CONVERTED) | where(Effect.FETCHES)


@frozen
class Rollout:
    """A list whose length only the run of a loop knows, and the call that compiles for each length.

    Attributes:
      call: of the jitted function.
      given: the argument that is made of the list.
      filled: the name of the list.
      until: the loop that fills it.
    """

    call: ast.Call
    given: ast.expr
    filled: str
    until: ast.For | ast.While


def rollouts(module: Module) -> Iterator[Rollout]:
    """The first such argument of each call that a loop repeats."""
    growing = [call for call in module.spelled_calls(frozenset({"append"})) if _open_loop(module, call) is not None]
    if not growing:
        return
    staging = module.get(Staging)
    for call in module.nodes(ast.Call):
        jitted = jit_of(module, call.func)
        if jitted is None or staging.is_staged(call) or not staging.may_repeat(call) or _is_open(module, call, growing):
            continue
        for key, given in _arguments(call):
            found = _filled(module, given, growing) if jitted.is_static(key) is False else None
            if found is not None:
                name, until = found
                yield Rollout(call, given, name, until)
                break


def _arguments(call: ast.Call) -> Iterator[tuple[Argument, ast.expr]]:
    yield from enumerate(call.args)
    yield from ((each.arg, each.value) for each in call.keywords if each.arg is not None)


def _is_open(module: Module, call: ast.Call, growing: list[ast.Call]) -> bool:
    """Whether the call is in a loop that fills a list itself: then no episode has ended."""
    loops = set(module.loops(call))
    return any(_open_loop(module, each) in loops for each in growing)


def _filled(module: Module, given: ast.expr, growing: list[ast.Call]) -> tuple[str, ast.For | ast.While] | None:
    """The list that an array is made of, as a whole, and the loop that fills it."""
    expr, is_array = given, False
    for _ in range(_MOST_NAMES):
        match expr:
            case ast.Call(func=func, args=[inner, *_]) if _joins(module.qualname(func) or ""):
                expr, is_array = inner, True
            case ast.Name():
                if is_array and (found := _list(module, expr, growing)) is not None:
                    return expr.id, found
                value = _value(module, expr)
                if value is None:
                    return None
                expr = value
            case _:
                return None
    return None


def _joins(qualname: str) -> bool:
    """Whether it makes an array with a row for each element."""
    return qualname in _OF_LISTS or qualname.endswith("numpy.stack")


def _list(module: Module, name: ast.Name, growing: list[ast.Call]) -> ast.For | ast.While | None:
    """The loop that fills the list."""
    scope = module.scope_of(name.id, name)
    for call in growing:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        until = _open_loop(module, call)
        if isinstance(owner, ast.Name) and owner.id == name.id and module.scope_of(owner.id, owner) is scope:
            return None if _is_lengthened(module, owner) else until
    return None


def _is_lengthened(module: Module, name: ast.Name) -> bool:
    """Whether other elements are added at once, as up to a fixed length."""
    for use in module.uses(name.id, module.scope_of(name.id, name)):
        match module.parent(use):
            case ast.AugAssign() | ast.BinOp() | ast.Attribute(attr="extend"):
                return True
    return False


def _value(module: Module, name: ast.Name) -> ast.expr | None:
    """What a variable is bound to, also by a function of the file that returns several things at once."""
    only = module.names.only_binding(name)
    if only is None or not isinstance(only.node, ast.Name):
        return None
    value = module.value_of(only.node)
    match module.statement(only.node):
        case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Call() as call) if only.node in elts:
            return _returned(module, call, elts.index(only.node))
    return _returned(module, value, None) or value if isinstance(value, ast.Call) else value


def _returned(module: Module, call: ast.Call, position: int | None) -> ast.expr | None:
    """What the only `return` of a function of this file gives back, or the part of it at `position`."""
    function = module.definition(call.func)
    if not isinstance(function, ast.FunctionDef):
        return None
    found = [node for node in walk(function) if isinstance(node, ast.Return) and module.function(node) is function]
    match [each.value for each in found]:
        case [ast.Tuple(elts=elts)] if position is not None and position < len(elts):
            return elts[position]
        case [ast.expr() as value] if position is None:
            return value
    return None


def _open_loop(module: Module, call: ast.Call) -> ast.For | ast.While | None:
    """The innermost loop around an `append`, where a flag ends it, so that only its run knows how often it goes on."""
    loop = next((each for each in module.loops(call) if isinstance(each, _LOOPS)), None)
    guard = module.enclosing(call, ast.If)
    if not isinstance(loop, _LOOPS) or (guard is not None and loop in module.ancestors(guard)):
        return None
    if isinstance(loop, ast.While) and not isinstance(loop.test, ast.Constant):
        return loop if _asks_flag(loop, loop.test) else None
    has_end = isinstance(loop, ast.While) or iterations(module, loop) is not None or _is_range(loop)
    ends = (each for each in loop.body if isinstance(each, ast.If) and isinstance(each.body[-1], ast.Break))
    return loop if has_end and any(_asks_flag(loop, each.test) for each in ends) else None


def _is_range(loop: ast.For | ast.While) -> bool:
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"))):
            return True
    return False


def _asks_flag(loop: ast.stmt, test: ast.expr) -> bool:
    """Whether a condition asks for a variable that the loop binds, by itself, as in `not done` or `done or lost`."""
    match test:
        case ast.BoolOp(values=parts):
            return any(_asks_flag(loop, part) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asks_flag(loop, operand)
        case ast.Name(id=name):
            stored = (each for each in walk(loop) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
            return any(each.id == name for each in stored)
    return False
