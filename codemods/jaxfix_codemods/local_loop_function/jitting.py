"""The third cure: the function around the call goes under `jit`, where it can be traced as a whole."""

import ast
from functools import partial

from jaxfix.api import Declined, Module, Recipe, frozen, walk
from jaxfix.api.analysis import Values
from jaxfix_codemods.jitting import whole

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@frozen
class UnderJit:
    """A cure, in words and as a recipe."""

    title: str
    recipe: Recipe


def jitted(module: Module, call: ast.AST) -> UnderJit | None:
    """What puts the function around `call` under `jit`; None where that is not sound, or would unroll a loop."""
    function = module.function(call)
    if not isinstance(function, ast.FunctionDef) or any(isinstance(node, _LOOPS) for node in walk(function)):
        return None
    try:
        step = whole.judge(module, module.get(Values), function)
    except Declined:
        return None
    return UnderJit(f"Put `{function.name}` under `jax.jit`", partial(whole.decorate, step))
