"""Which function a step runs where the text between them is a `partial`, a bound method or a factory."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from jaxfix.api import FUNCTIONS, Function, Jitted, Module, frozen, returned
from jaxfix.api.analysis import Callers, callers, family, is_stored, methods, own_class, positional_of, stored_users
from jaxfix.api.library import Transform, where

_PARTIALS = where(Transform.BINDS) & where(Transform.SAME_RESULT)


@frozen
class Wrapped:
    """What a transformation was passed.

    Attributes:
      function: with the parameters that a call of the result still fills; `self` counts where it is `bound`.
      bound: it is a method of an object that is bound already.
    """

    jitted: Jitted
    function: Function
    bound: bool


def wrapped(module: Module, call: ast.Call, found: Jitted) -> Wrapped | None:
    """The function in `call`, which is one of a transformation; None where it is not in the text."""
    if found.function is not None:
        return Wrapped(found, found.function, _is_bound(module, found.function))
    given = call.args[0] if call.args else None
    match given:
        case ast.Call(func=func, args=[ast.Name() as inner, *bound], keywords=named) if _binds(module, func):
            function = module.definition(inner)
            left = _left(function, bound, named) if isinstance(function, ast.FunctionDef) else None
            return _of(found, left, bound=False)
        case ast.Call(func=func):
            maker = module.definition(func)
            made = _made_plain(module, maker) if isinstance(maker, ast.FunctionDef) else None
            return _of(found, made, bound=False)
        case ast.Attribute(value=receiver, attr=name):
            owner = own_class(module, receiver)
            every = methods(family(module, owner), name) if owner is not None and not is_stored(module, name) else []
            method = every[0] if len(every) == 1 else None
            is_plain = isinstance(method, ast.FunctionDef) and not method.decorator_list
            return _of(found, method, bound=True) if is_plain else None
    return None


def handles(module: Module, made: ast.FunctionDef | ast.Call) -> Callers | None:
    """The calls of a jitted function that a factory makes and returns, through all that its result is bound to.

    Args:
      made: the function with its decorator, or the call of the transformation.

    Returns:
      None where no factory returns it, or its result goes to where it cannot be followed.
    """
    factory = module.function(made)
    if not isinstance(factory, ast.FunctionDef) or factory.decorator_list or module.method_of(factory) is not None:
        return None
    returns = returned(factory)
    inside = callers(module, made) if isinstance(made, ast.FunctionDef) else None
    if len(returns) != 1 or not _is_it(module, returns[0], made) or (inside and inside.others != returns):
        return None
    makers = callers(module, factory)
    if makers.others or makers.outside or not makers.is_closed():
        return None
    every = [_bound_to(module, call) for call in makers.calls]
    if not every or None in every:
        return None
    known = [each for each in every if each is not None]
    calls = tuple(call for each in known for call in each.calls)
    others = tuple(use for each in known for use in each.others)
    return replace(makers, calls=(*(inside.calls if inside else ()), *calls), others=others)


def stored(module: Module, made: ast.FunctionDef) -> Callers | None:
    """The calls of a jitted function that is kept in an attribute, as by `self.step = step`; None where it is not."""
    inside = callers(module, made)
    match [module.parent(other) for other in inside.others]:
        case [ast.Assign(targets=[ast.Attribute() as kept])]:
            found = stored_users(module, kept)
            return replace(found, calls=(*inside.calls, *found.calls)) if found is not None else None
    return None


def _is_it(module: Module, value: ast.expr, made: ast.FunctionDef | ast.Call) -> bool:
    return module.definition(value) is made if isinstance(made, ast.FunctionDef) else value is made


def _bound_to(module: Module, call: ast.Call) -> Callers | None:
    match module.parent(call):
        case ast.Assign(targets=[ast.Name() as target], value=value) if value is call:
            scope = module.scope_of(target.id, target)
            is_own = isinstance(scope, FUNCTIONS) and len(module.bindings(target.id, scope)) == 1
            return callers(module, target) if is_own else None
        case ast.Assign(targets=[ast.Attribute() as stored], value=value) if value is call:
            found = stored_users(module, stored)
            return found if found is not None and found.is_private else None
    return None


def _is_bound(module: Module, function: Function) -> bool:
    decorators = getattr(function, "decorator_list", ())
    return module.method_of(function) is not None and not any(
        isinstance(each, ast.Name) and each.id == "staticmethod" for each in decorators
    )


def _binds(module: Module, func: ast.expr) -> bool:
    return module.qualname(func) in _PARTIALS


def _of(found: Jitted, function: Function | None, *, bound: bool) -> Wrapped | None:
    if function is None:
        return None
    names = tuple(each.arg for each in positional_of(function.args)[int(bound) :])
    return Wrapped(replace(found, jit=replace(found.jit, parameters=names), function=function), function, bound)


def _made_plain(module: Module, maker: ast.FunctionDef) -> Function | None:
    """The function of its own that `maker` returns."""
    match returned(maker):
        case [ast.Name() as value] if not maker.decorator_list:
            made = module.definition(value)
            is_own = isinstance(made, ast.FunctionDef) and module.function(made) is maker
            return made if is_own and not getattr(made, "decorator_list", ()) else None
    return None


def _left(function: ast.FunctionDef, bound: list[ast.expr], named: list[ast.keyword]) -> Function | None:
    """`function` with the parameters that a `partial` leaves open; what follows one that it names goes by name."""
    arguments, given = function.args, {keyword.arg for keyword in named}
    is_open = None in given or any(isinstance(each, ast.Starred) for each in bound)
    if is_open or function.decorator_list or arguments.vararg or arguments.kwarg:
        return None
    positional = positional_of(arguments)[len(bound) :]
    kept, after = list(_split(positional, given))
    rest = [each for each in arguments.kwonlyargs if each.arg not in given]
    left = ast.arguments([], kept, None, [*after, *rest], [None] * (len(after) + len(rest)), None, [])
    return ast.FunctionDef(function.name, left, function.body, [], function.returns, function.type_comment)


def _split(positional: list[ast.arg], given: set[str | None]) -> Iterator[list[ast.arg]]:
    """The parameters before the first that is named, and those after it that are not."""
    first = next((number for number, each in enumerate(positional) if each.arg in given), len(positional))
    yield positional[:first]
    yield [each for each in positional[first:] if each.arg not in given]
