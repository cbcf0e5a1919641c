"""Who runs code that nothing of a file repeats: a base class elsewhere, or what traces it."""

import ast

from jaxfix.api import Module, Runs, Staging, direct_calls
from jaxfix.api.analysis import family, strange_base


def is_left_to_others(module: Module, node: ast.AST) -> bool:
    """Whether nothing that was read repeats `node` outside of a trace, but code of this file traces it, or a base may.

    A method of a class whose base is elsewhere is called by that base: as a rollout, or a solver, under its own `jit`.
    """
    return (_may_be_of_base(module, node) or _is_traced(module, node)) and not _is_repeated(module, node)


def is_traced_alone(module: Module, node: ast.AST) -> bool:
    """Whether code of this file traces `node`, and nothing that was read repeats it outside of a trace."""
    return _is_traced(module, node) and not _is_repeated(module, node)


def _may_be_of_base(module: Module, node: ast.AST) -> bool:
    outer = module.functions_around(node)
    owner = module.method_of(outer[-1]) if outer else None
    return owner is not None and any(strange_base(module, each) is not None for each in family(module, owner))


def _is_traced(module: Module, node: ast.AST) -> bool:
    """Whether it is traced, and no other function that strangers may call leads to it without a trace."""
    ways = module.get(Staging).ways(node)
    if Runs.TRACED not in ways.known:
        return False
    around = {getattr(function, "name", "") for function in module.functions_around(node)}
    return {name.rpartition(".")[2].partition("@")[0] for name in ways.open} <= around


def _is_repeated(module: Module, node: ast.AST) -> bool:
    """Whether it runs eagerly and repeatedly, or a loop of this file calls a function around it, not under a trace."""
    staging = module.get(Staging)
    around = module.functions_around(node)
    calls = (call for function in around for call in direct_calls(module, function) if module.loops(call))
    return staging.repeats(node) or any(not staging.is_staged(call) for call in calls)
