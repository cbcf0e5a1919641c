"""Functions that are a whole run of a program: they report from a long loop, and compile once for all of it."""

import ast

from jaxfix.api import Module, Staging, walk
from jaxfix.api.library import Package, where
from jaxfix_codemods.local_jit.sites import Site

_REPORTING = (where(Package.HOST) | where(Package.WORLD)) - where(Package.NUMPY)


def serves_a_run(module: Module, site: Site) -> bool:
    """Whether all that uses the jitted function is in loops of its own function which report, and nothing repeats that.

    A training or a simulation takes as long as thousands of steps: what it compiles once costs it little.
    """
    around = module.function(site.made)
    if around is None or module.loops(site.made) or module.get(Staging).round_about(site.made):
        return False
    uses = (*site.stay.calls, *site.stay.handed)
    return bool(uses) and all(_is_reported(module, use, around) for use in uses)


def _is_reported(module: Module, use: ast.AST, around: ast.AST) -> bool:
    loops = (loop for loop in module.loops(use) if isinstance(loop, ast.For | ast.While))
    return any(around in module.functions_around(loop) and _reports(module, loop) for loop in loops)


def _reports(module: Module, loop: ast.AST) -> bool:
    return any(_tells(module, node) for node in walk(loop) if isinstance(node, ast.Call))


def _tells(module: Module, call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name) and call.func.id == "print":
        return module.scope_of("print", call.func) is None
    return (module.qualname(call.func) or "").partition(".")[0] in _REPORTING
