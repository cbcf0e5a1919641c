"""What a decorated function returns: what its text says, where its decorators are known to hand that on."""

import ast

from jaxfix.dataflow.solver import EXISTS, Solver
from jaxfix.library.facets import Effect, Result, Transform
from jaxfix.library.table import where
from jaxfix.semantic.calls import returned
from jaxfix.semantic.module import Module
from jaxfix.staging.jit import PARTIALS, transform_of
from jaxfix.staging.visibility import is_known_decorator
from jaxfix.syntax.nodes import FUNCTIONS, Function
from jaxfix.syntax.signatures import positional_of

_WAITING = where(Effect.WAITS) & where(Result.SAME_BUFFER)
_RECOMPUTING = where(Transform.RECOMPUTES)
_OTHERS = where(Transform.SHAPES_ONLY) | where(Transform.WITH_VALUE)
_Question = tuple[ast.AST, ast.arg | None]
"""A decorator or what it decorates; or, with the parameter of a decorator, what it makes of that."""


def kept_results(module: Module, function: Function) -> tuple[ast.expr, ...]:
    """The expressions that a call of `function` by its name returns, or whose arrays a transformation of it does.

    Returns:
      Nothing where a decorator may make another thing of them.
    """
    return returned(function) if keeps_results(module, function) else ()


def keeps_results(module: Module, function: Function) -> bool:
    """Whether the decorators of `function`, if any, are known to return what it returns itself."""
    return not getattr(function, "decorator_list", ()) or module.get(_keeping)((function, None))


def _keeping(module: Module) -> Solver[_Question, bool]:
    return Solver(lambda question: _keeps(module, *question), EXISTS)


def _keeps(module: Module, node: ast.AST, given: ast.arg | None) -> bool:
    if given is not None:
        return _is_as(module, node, given)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return all(module.get(_keeping)((each, None)) for each in node.decorator_list)
    return isinstance(node, ast.expr) and _decorates(module, node)


def _decorates(module: Module, decorator: ast.expr) -> bool:
    """Whether what `decorator` makes of a function returns what that does."""
    if is_known_decorator(module, decorator) or transform_of(module, decorator) in _RECOMPUTING:
        return transform_of(module, decorator) not in _OTHERS
    match decorator:
        case ast.Call(func=func, args=[inner]) if module.qualname(func) in PARTIALS:
            return module.get(_keeping)((inner, None))
        case ast.Call(func=func):
            factory = module.definition(func)
            made = [module.definition(each) for each in kept_results(module, factory)] if factory is not None else []
            return bool(made) and all(each is not None and _hands_on(module, each) for each in made)
    function = module.definition(decorator)
    return function is not None and _hands_on(module, function)


def _hands_on(module: Module, decorator: Function) -> bool:
    """Whether a function of this file, called with another, returns that, or what only calls it."""
    given = next(iter(positional_of(decorator.args)), None)
    if given is None or len(module.bindings(given.arg, decorator)) != 1:
        return False
    made = kept_results(module, decorator)
    return bool(made) and all(module.get(_keeping)((each, given)) for each in made)


def _is_as(module: Module, made: ast.AST, given: ast.arg) -> bool:
    """Whether `made` is the function `given`, or one that returns what a call of it does."""
    again = module.get(_keeping)
    if isinstance(made, ast.Name) and made.id == given.arg:
        return module.scope_of(made.id, made) is module.enclosing(given, FUNCTIONS)
    function = module.definition(made)
    if function is not None:
        own = kept_results(module, function)
        return bool(own) and all(_is_result(module, each, given) for each in own)
    match module.only_value(made) or made:
        case ast.Call(func=maker, args=[inner, *_]):
            return again((maker, None)) and again((inner, given))
    return False


def _is_result(module: Module, expr: ast.expr, given: ast.arg) -> bool:
    """Whether `expr` is what a call of the function `given` returns."""
    value = module.only_value(expr) or expr
    while isinstance(value, ast.Call) and value.args and module.qualname(value.func) in _WAITING:
        value = value.args[0]
    value = module.only_value(value) or value
    return isinstance(value, ast.Call) and module.get(_keeping)((value.func, given))
