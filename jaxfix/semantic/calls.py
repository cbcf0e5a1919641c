"""Calls within one file: argument to parameter, direct calls of a function, returned values."""

import ast
from weakref import WeakKeyDictionary

from jaxfix.library.facets import Transform
from jaxfix.library.table import where
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import Function, statements
from jaxfix.syntax.signatures import positional_of

_BINDING = where(Transform.BINDS)
_BATCHING = where(Transform.BATCHES)
_TRANSFORMING = where(Transform.ONLY_VALUES) & (_BATCHING | where(Transform.DIFFERENTIATES))


def arguments_of(function: Function, call: ast.Call, *, bound: bool = False) -> dict[str, ast.expr | None] | None:
    """The argument that `call` passes to each parameter of `function`.

    Args:
      bound: the first parameter is the object that the method is called of.

    Returns:
      By the name of the parameter; the value is None where the default is taken. None instead of all that where stars,
      on either side, or too many arguments leave it open.
    """
    arguments = function.args
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    if arguments.vararg or arguments.kwarg:
        return None
    positional = [a.arg for a in positional_of(arguments)][1 if bound else 0 :]
    if len(call.args) > len(positional):
        return None
    found: dict[str, ast.expr | None] = dict.fromkeys([*positional, *(a.arg for a in arguments.kwonlyargs)])
    found.update(zip(positional, call.args, strict=False))
    found.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return found


def arguments_passed(
    module: Module, node: ast.expr, function: Function, *, bound: bool = False
) -> dict[str, ast.expr | None]:
    """As `arguments_of`, of the call of `node`, or of a method of what a wrapper made of the function.

    Such a method takes what it needs itself first: `network.apply(params, rng, x)` passes `x` to the function.

    Returns:
      Nothing where neither is called.
    """
    match module.parent(node):
        case ast.Call(func=func) as call if func is node:
            return arguments_of(function, call, bound=bound) or {}
        case ast.Attribute() as method if not bound and isinstance(outer := module.parent(method), ast.Call):
            own = len(positional_of(function.args)) - sum(each.arg is not None for each in outer.keywords)
            last = ast.Call(outer.func, outer.args[max(0, len(outer.args) - own) :], outer.keywords)
            return (arguments_of(function, last) or {}) if outer.func is method else {}
        case ast.Call() if not bound:
            return _through(module, node, function)
    return {}


def _through(module: Module, node: ast.expr, function: Function) -> dict[str, ast.expr | None]:
    """The arguments of a call of what transformations make of a function: `vmap(partial(f, x))(y)`.

    Of what is passed by a star to a function that is mapped over all that it takes, nothing is known but that it is
    traced: what needs a value takes its default.
    """
    given: list[ast.expr] = []
    named: list[ast.keyword] = []
    made: ast.expr = node
    while isinstance(maker := module.parent(made), ast.Call) and maker.args[:1] == [made]:
        qualname = module.qualname(maker.func)
        if qualname in _BINDING:
            given, named = [*given, *maker.args[1:]], [*named, *maker.keywords]
        elif qualname not in _TRANSFORMING:
            return {}
        call = module.parent(maker)
        if isinstance(call, ast.Call) and call.func is maker:
            is_mapped = qualname in _BATCHING and len(maker.args) == 1 and not maker.keywords
            stars = [at for at, each in enumerate(call.args) if isinstance(each, ast.Starred)]
            plain = call.args[: stars[0]] if stars and is_mapped else call.args
            return arguments_of(function, ast.Call(call.func, [*given, *plain], [*named, *call.keywords])) or {}
        made = maker
    return {}


def calls_of_calls(module: Module) -> list[ast.Call]:
    """The calls of what a call returns, as `jax.jit(f)(x)`, in the order of the text."""
    return module.get(_calls_of_calls)


def _calls_of_calls(module: Module) -> list[ast.Call]:
    return [call for call in module.nodes(ast.Call) if type(call.func) is ast.Call]


_KNOWN: WeakKeyDictionary[Function, tuple[ast.expr, ...]] = WeakKeyDictionary()


def returned(function: Function) -> tuple[ast.expr, ...]:
    """The expressions that `function` returns.

    Returns:
      In the order of the text; those of functions inside it, and a bare `return`, are left out.
    """
    if isinstance(function, ast.Lambda):
        return (function.body,)
    found = _KNOWN.get(function)
    if found is None:
        returns = (s for s in statements(function.body) if isinstance(s, ast.Return))
        found = _KNOWN[function] = tuple(each.value for each in returns if each.value is not None)
    return found


def returned_anywhere(module: Module, function: Function) -> tuple[ast.expr, ...]:
    """The expressions that `function` returns, and the functions inside it.

    Returns:
      In the order of the text; a bare `return` is left out.
    """
    return (function.body,) if isinstance(function, ast.Lambda) else tuple(module.get(_results).get(function, ()))


def _results(module: Module) -> dict[Function, list[ast.expr]]:
    found: dict[Function, list[ast.expr]] = {}
    for node in module.nodes(ast.Return):
        if node.value is not None:
            for function in module.functions_around(node):
                found.setdefault(function, []).append(node.value)
    return found


def direct_calls(module: Module, function: Function) -> tuple[ast.Call, ...]:
    """The calls of `function` by a name that stands for nothing else.

    Returns:
      In the order of the text; calls of methods are not among them.
    """
    return tuple(module.get(_called).get(function, ()))


def handed_to(module: Module, function: Function) -> tuple[ast.Call, ...]:
    """The calls that take `function` as a positional argument, by a name that stands for nothing else.

    Returns:
      In the order of the text, each once.
    """
    return tuple(module.get(_handed).get(function, ()))


def _called(module: Module) -> dict[Function, list[ast.Call]]:
    found: dict[Function, list[ast.Call]] = {}
    for call in module.nodes(ast.Call):
        function = module.definition(call.func)
        if function is not None:
            found.setdefault(function, []).append(call)
    return found


def _handed(module: Module) -> dict[Function, list[ast.Call]]:
    found: dict[Function, list[ast.Call]] = {}
    for call in module.nodes(ast.Call):
        for function in dict.fromkeys(map(module.definition, call.args)):
            if function is not None:
                found.setdefault(function, []).append(call)
    return found


def made_by(module: Module, expr: ast.AST) -> ast.expr | None:
    """The expression that was called to make the object that `expr`, a name bound once, stands for.

    Returns:
      None where it was made in another way, or `expr` is no such name.
    """
    value = module.only_value(expr)
    return value.func if isinstance(value, ast.Call) else None


def function_made_by(module: Module, expr: ast.AST) -> Function | None:
    """The one inner function that a factory of this file returns, where `expr`, a name bound once, is such a result.

    Returns:
      None where the factory is decorated, or may return another thing.
    """
    func = made_by(module, expr)
    return function_of_factory(module, func) if func is not None else None


def function_of_factory(module: Module, func: ast.expr) -> Function | None:
    """The one inner function that `func`, a factory of this file, returns.

    Returns:
      None where it is none, is decorated, or may return another thing.
    """
    factory = module.definition(func)
    if not isinstance(factory, ast.FunctionDef) or factory.decorator_list:
        return None
    results = returned(factory)
    made = module.definition(results[0]) if len(results) == 1 else None
    return made if made is not None and factory in module.functions_around(made) else None
