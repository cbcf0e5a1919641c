"""Where a function is passed on to what does with it what a caller does, so that it may be jitted."""

import ast

from jaxfix.api import Module
from jaxfix.api.analysis import ArgumentKind, Passing, Values, callers
from jaxfix.api.library import Transform, where
from jaxfix_codemods.jitting.traced import is_no_tree

_DERIVATIVES = where(Transform.ONLY_VALUES) & where(Transform.DIFFERENTIATES)
_BATCHING = where(Transform.BATCHES) - where(Transform.FILTERS)


def is_transformed(module: Module, values: Values, use: ast.expr) -> bool:
    """Whether `use` is what a derivative is taken of, or what `vmap` maps and calls with data alone."""
    call = module.parent(use)
    if not isinstance(call, ast.Call) or call.args[:1] != [use]:
        return False
    name = module.qualname(call.func)
    return name in _DERIVATIVES or (name in _BATCHING and _is_given_data(module, values, call))


def derived_calls(module: Module, use: ast.expr) -> tuple[ast.Call, ...]:
    """The calls of a derivative of `use` by its first argument, which are passed what a call of `use` itself is.

    Empty where `use` is passed on to anything else, or they are not all known.
    """
    match module.parent(use):
        case ast.Call(func=func, args=[only], keywords=named) as made if only is use:
            pass
        case _:
            return ()
    is_by_first = all(each.arg == "has_aux" or _is_first(each) for each in named)
    return calls_of_made(module, made) if module.qualname(func) in _DERIVATIVES and is_by_first else ()


def _is_first(option: ast.keyword) -> bool:
    return option.arg == "argnums" and isinstance(option.value, ast.Constant) and option.value.value == 0


def calls_of_made(module: Module, made: ast.Call) -> tuple[ast.Call, ...]:
    """The calls of what a transformation made, at once or by the variable that it is bound to; empty if not all."""
    match module.parent(made):
        case ast.Call(func=func) as call if func is made:
            return (call,)
        case ast.Assign(targets=[ast.Name() as name]) if module.names.only_binding(name) is not None:
            uses = callers(module, name)
            return uses.calls if uses.are_all_here() else ()
    return ()


def _is_given_data(module: Module, values: Values, mapped: ast.Call) -> bool:
    """Whether what is mapped is passed nothing but what `jit` takes; what is not mapped comes as it was given."""
    if _maps_all(mapped):
        return True
    calls = calls_of_made(module, mapped)
    return bool(calls) and all(_passes_data(module, values, call, calls) for call in calls)


def _maps_all(mapped: ast.Call) -> bool:
    """Whether all arguments are mapped: those of `vmap(f)` and `vmap(f, 0)` are."""
    axes = [*mapped.args[1:2], *(each.value for each in mapped.keywords if each.arg in (None, "in_axes"))]
    return all(isinstance(each, ast.Constant) and isinstance(each.value, int) for each in axes)


def _passes_data(module: Module, values: Values, call: ast.Call, calls: tuple[ast.Call, ...]) -> bool:
    given = Passing(module, values).called(calls, call, lambda node: "", bound=False).arguments
    passed = [*call.args, *(each.value for each in call.keywords)]
    if given is None or any(is_no_tree(module, source) for each in passed for source in values.origins.of(each)):
        return False
    return not any(each.filled or each.sort in (ArgumentKind.TEXT, ArgumentKind.FUNCTION) for each in given)
