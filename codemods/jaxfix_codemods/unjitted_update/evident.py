"""Loops that run eagerly for every caller: what is in them wants the values of the host."""

import ast
from collections.abc import Iterator

from jaxfix.api import FUNCTIONS, Module, children, walk
from jaxfix.api.analysis import last_name
from jaxfix.api.library import Effect, Package, short_names, where
from jaxfix_codemods.jitting.whole import LOOPS
from jaxfix_codemods.unjitted_update.device import Device

_HOST = where(Package.HOST) - where(Package.NUMPY)
_WORLD = where(Package.WORLD)
_WAITING = where(Effect.WAITS) | where(Effect.WORLD)
_FETCHING = where(Effect.FETCHES)
_METHODS = short_names(Effect.FETCHES, "jax.Array") | short_names(Effect.WAITS, "jax.Array")


def wants_values(module: Module, loop: ast.For | ast.While) -> bool:
    """Whether `loop`, or one around it, shows progress, plots, draws from NumPy, asks for or fetches what it computes.

    Under a trace it would fail, or do that once: whatever calls the function around calls it eagerly.
    """
    return any(_wants_itself(module, each) for each in (loop, *module.loops(loop)) if isinstance(each, LOOPS))


def _wants_itself(module: Module, loop: ast.For | ast.While) -> bool:
    if isinstance(loop, ast.For) and _is_of_host(module, loop.iter):
        return True
    if isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant):
        return True
    calls = _calls(loop)
    if any(_wants(module, call) for call in calls):
        return True
    tested = loop.test if isinstance(loop, ast.While) else None
    fetched = [argument for call in calls if _name(module, call) in _FETCHING for argument in call.args]
    if tested is None and not fetched:
        return False  # what is computed is asked last: it costs most
    computed = _computed(module, loop)
    is_tested = tested is not None and _reads(tested, computed)
    return is_tested or any(_is_computed(module, argument, computed) for argument in fetched)


def _wants(module: Module, call: ast.Call) -> bool:
    """Whether the call is one for the host, whatever it is given."""
    name = _name(module, call)
    if name is None:
        return isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS
    return name not in _FETCHING and (name in _WAITING or name.startswith("numpy.random.") or _is_of_host(module, call))


def _name(module: Module, call: ast.Call) -> str | None:
    return module.qualname(call.func) or _builtin(module, call.func)


def _builtin(module: Module, func: ast.expr) -> str | None:
    return func.id if isinstance(func, ast.Name) and module.scope_of(func.id, func) is None else None


def _is_of_host(module: Module, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    package = (module.qualname(node.func) or "").partition(".")[0]
    return package in _HOST or package in _WORLD


def _is_computed(module: Module, argument: ast.expr, computed: frozenset[str]) -> bool:
    """Whether it is read of what the loop computes on the device."""
    if isinstance(argument, ast.Call):
        return module.get(Device).starts(argument) > 0
    while isinstance(argument, ast.Subscript | ast.Attribute):
        argument = argument.value
    return isinstance(argument, ast.Name) and argument.id in computed


def _reads(test: ast.expr, computed: frozenset[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in computed for node in walk(test))


def _computed(module: Module, loop: ast.For | ast.While) -> frozenset[str]:
    """The variables that the loop binds to what it computes on the device."""
    starts = module.get(Device).starts
    bound = (each for each in _nodes(loop) if isinstance(each, ast.Assign | ast.AugAssign | ast.AnnAssign))
    targets = (each for each in bound if starts(each))
    return frozenset(
        node.id
        for each in targets
        for target in (each.targets if isinstance(each, ast.Assign) else (each.target,))
        for node in walk(target)
        if isinstance(node, ast.Name)
    )


def _calls(loop: ast.stmt) -> list[ast.Call]:
    return [node for node in _nodes(loop) if isinstance(node, ast.Call) and last_name(node.func) is not None]


def _nodes(loop: ast.stmt) -> Iterator[ast.AST]:
    """Those of the loop, except functions that it defines."""
    pending: list[ast.AST] = [loop]
    while pending:
        node = pending.pop()
        yield node
        pending += [each for each in children(node) if not isinstance(each, FUNCTIONS)]
