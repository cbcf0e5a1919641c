"""Steps of `flax.nnx`, which change their model and their optimizer in place: what a person would put above them."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, Runs, Staging
from jaxfix.api.library import Transform, where
from jaxfix_codemods.unjitted_update.work import Way, ways_to

_GRADIENTS = frozenset(name for name in where(Transform.DIFFERENTIATES) if name.startswith("flax.nnx."))


def nnx_ways(module: Module) -> Iterator[Way]:
    """Every way from a loop that runs eagerly to a gradient of `flax.nnx`."""
    for made in module.calls(*_GRADIENTS):
        for call in _calls_of(module, made):
            if module.get(Staging).runs(call) is not Runs.TRACED:
                yield from ways_to(module, call)


def _calls_of(module: Module, made: ast.Call) -> Iterator[ast.Call]:
    """The calls of the gradient that `made` makes: at once, or by the name that is bound to it."""
    match module.parent(made):
        case ast.Call(func=func) as call if func is made:
            yield call
        case ast.Assign(targets=[ast.Name() as name]):
            for use in module.reads(name.id, module.scope_of(name.id, name) or module.tree):
                around = module.parent(use)
                if isinstance(around, ast.Call) and around.func is use:
                    yield around
