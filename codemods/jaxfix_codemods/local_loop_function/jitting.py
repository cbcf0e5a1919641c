"""The third cure: the function around the call goes under `jit`, where it can be traced as a whole."""

import ast
from functools import partial

from jaxfix.api import Declined, Module, Recipe, frozen, walk
from jaxfix.api.analysis import Values, demands, parameters_of
from jaxfix_codemods.jitting import whole


@frozen
class UnderJit:
    """A cure, in words and as a recipe."""

    title: str
    recipe: Recipe


def jitted(module: Module, call: ast.AST) -> UnderJit | None:
    """What puts the function around `call` under `jit`; None where that is not sound, or would unroll a loop."""
    function = module.function(call)
    if not isinstance(function, ast.FunctionDef) or not _takes_arrays(module, function):
        return None
    try:
        step = whole.judge(module, module.get(Values), function)
    except Declined:
        return None
    return UnderJit(f"Put `{function.name}` under `jax.jit`", partial(whole.decorate, step))


def _takes_arrays(module: Module, function: ast.FunctionDef) -> bool:
    """Whether arrays would do for every argument, and no loop of Python's is in it: asked before the callers are."""
    if function.decorator_list or module.function(function) is not None:
        return False
    given = {parameter.arg for parameter in parameters_of(function.args)}
    for node in walk(function):
        match node:
            case ast.For() | ast.AsyncFor() | ast.While():
                return False
            case ast.Call(func=ast.Name(id=name)) if name in given:
                return False
    found = demands(module, function)
    return found.reason is None and not (found.values or found.called or found.methods)
