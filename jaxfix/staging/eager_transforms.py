"""Transformations that run eagerly, such as `jax.grad(loss)(x)`: the outermost ones, and the control flow in them."""

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from jaxfix.library.facets import Transform
from jaxfix.library.generated import is_retrace
from jaxfix.library.table import CONTROL_FLOW, where
from jaxfix.semantic.calls import direct_calls
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.staging.contexts import Staging
from jaxfix.staging.jit import method, owner_of, transform_of
from jaxfix.syntax.nodes import FUNCTIONS, Function, children

_JITS = where(Transform.TRACES)
_DERIVATIVES = where(Transform.DIFFERENTIATES)
_AT_ONCE = frozenset({"jax.jvp"})
_MAKERS = where(Transform.ONLY_VALUES)
"""Transformations that make a function which returns what it computed, and nothing of the trace."""


@frozen
class Transformed:
    """A transformation that nothing around it transforms, and that runs eagerly.

    Attributes:
      at: the call of the outermost transformation, such as all of `jax.vmap(jax.grad(f))`.
      names: of the transformations in it, from the outside in, and of those that run inside.
      function: the innermost function.
      sites: the calls that run it.
      functions: those of this file that run inside.
      control_flow: the calls of `scan` and the like that run inside, and not under a `jit`.
      is_retraced: `retrace` is around it already.
      bypassed: those of `functions` that run eagerly without it too, as this file calls them elsewhere.
    """

    at: ast.Call
    names: tuple[str, ...]
    function: Function
    sites: tuple[ast.Call, ...]
    functions: frozenset[Function]
    control_flow: tuple[ast.Call, ...]
    is_retraced: bool
    bypassed: frozenset[Function]

    @property
    def taker(self) -> ast.expr:
        """The expression that stands for the transformed function."""
        return self.at.func if self.names[0] in _AT_ONCE else self.at

    @property
    def is_derivative(self) -> bool:
        """Whether a derivative is taken in it, under which control flow is traced again at every call."""
        return any(name in _DERIVATIVES for name in self.names)


def eager_transformations(module: Module) -> tuple[Transformed, ...]:
    """The transformations of `module` that run eagerly with control flow inside.

    Returns:
      In the order of the text.
    """
    return module.get(_eager_transformations)


def _eager_transformations(module: Module) -> tuple[Transformed, ...]:
    made = [each for call in module.calls(*_MAKERS, *_AT_ONCE) if (each := _made(module, call)) is not None]
    if not any(each.reached.control_flow for each in made):
        return ()
    found = [transformed for each in made if (transformed := _transformed(module, each)) is not None]
    inside = frozenset[Function]().union(*(each.functions - each.bypassed for each in found))

    def is_outermost(each: Transformed) -> bool:
        places = (function for node in (each.at, *each.sites) for function in module.functions_around(node))
        return not any(function in inside for function in places)

    return tuple(each for each in found if each.control_flow and is_outermost(each))


class _Made(NamedTuple):
    """A transformation that nothing around it transforms, however it runs."""

    at: ast.Call
    names: tuple[str, ...]
    function: Function
    around: ast.Call | None
    sites: tuple[ast.Call, ...]
    reached: "_Reached"


def _made(module: Module, call: ast.Call) -> _Made | None:
    names, inner = _chain(module, call)
    function = _function(module, inner) if inner is not None else None
    if function is None or _is_transformed(module, call):
        return None
    around = _retrace_around(module, call.func if names[0] in _AT_ONCE else call)
    sites = tuple(_sites(module, around or call, names[0]))
    return _Made(call, names, function, around, sites, _Reached(module, function)) if sites else None


def _transformed(module: Module, made: _Made) -> Transformed | None:
    sites = tuple(site for site in made.sites if not module.get(Staging).is_staged(site))
    if not sites:
        return None
    reached = made.reached
    return Transformed(
        at=made.at,
        names=(*made.names, *reached.derivatives),
        function=made.function,
        sites=sites,
        functions=reached.functions,
        control_flow=reached.control_flow,
        is_retraced=made.around is not None,
        bypassed=_bypassed(module, reached.functions),
    )


def _bypassed(module: Module, functions: frozenset[Function]) -> frozenset[Function]:
    called = {
        function
        for function in functions
        for call in direct_calls(module, function)
        if not functions.intersection(module.functions_around(call)) and not module.get(Staging).is_staged(call)
    }
    return frozenset[Function]().union(*(_Reached(module, function).functions for function in called))


def _chain(module: Module, call: ast.Call) -> tuple[tuple[str, ...], ast.expr | None]:
    """The transformations that are nested at `call`, and what the innermost one takes."""
    names: list[str] = []
    expr: ast.expr | None = call
    while isinstance(expr, ast.Call):
        name = module.qualname(expr.func) or ""
        if name not in _MAKERS | _AT_ONCE | {"functools.partial"}:
            return tuple(names), None
        names += [] if name == "functools.partial" else [name]
        expr = expr.args[0] if expr.args else None
    return tuple(names), expr


def _retrace_around(module: Module, taker: ast.expr) -> ast.Call | None:
    match module.parent(taker):
        case ast.Call(func=func, args=[argument]) as call if argument is taker:
            name = module.qualname(func) or ""
            return call if is_retrace(name, module.surroundings.helpers) else None
    return None


def _is_transformed(module: Module, call: ast.Call) -> bool:
    parent = module.parent(call)
    return (
        isinstance(parent, ast.Call) and call in parent.args and transform_of(module, parent.func) in _MAKERS | _AT_ONCE
    )


def _function(module: Module, expr: ast.expr) -> Function | None:
    if isinstance(expr, ast.Attribute):
        owner = owner_of(module, expr)
        found: Function | None = method(module, owner, expr.attr) if owner is not None else None
    else:
        found = module.definition(expr)
    return None if found is None or isinstance(found, ast.AsyncFunctionDef) or _is_jitted(module, found) else found


def _is_jitted(module: Module, function: Function) -> bool:
    decorators = [] if isinstance(function, ast.Lambda) else function.decorator_list
    return any(transform_of(module, decorator) in _JITS for decorator in decorators)


def _sites(module: Module, call: ast.Call, name: str) -> Iterator[ast.Call]:
    """The calls that run what `call` makes: there and then, or through the variable that it is bound to."""
    if name in _AT_ONCE and module.qualname(call.func) == name:
        yield call
        return
    match module.parent(call):
        case ast.Call(func=func) as site if func is call:
            yield site
        case ast.Assign(targets=[ast.Name() as target]):
            scope = module.scope_of(target.id, target)
            if scope is not None and len(module.bindings(target.id, scope)) == 1:
                for use in module.reads(target.id, scope):
                    around = module.parent(use)
                    if isinstance(around, ast.Call) and around.func is use:
                        yield around


class _Reached:
    """The functions of one file that run inside `function`, as far as they are named in one another."""

    def __init__(self, module: Module, function: Function) -> None:
        self._module = module
        self._nodes: list[ast.AST] = []
        found: set[Function] = set()
        pending = [function]
        while pending:
            each = pending.pop()
            if each not in found:
                found.add(each)
                nodes = list(self._inside(each))
                self._nodes += nodes
                found |= {node for node in nodes if isinstance(node, FUNCTIONS)}
                pending += [f for node in nodes if (f := self._named(node)) is not None]
        self.functions = frozenset(found)

    def _inside(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes in the body of a function; not those of functions in it that are under a `jit`."""
        body = node.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else [getattr(node, "body", node)]
        pending: list[ast.AST] = list(body)
        while pending:
            each = pending.pop()
            if isinstance(each, FUNCTIONS) and _is_jitted(self._module, each):
                continue
            if isinstance(each, ast.Call) and transform_of(self._module, each.func) in _JITS:
                continue
            yield each
            pending += children(each)

    def _named(self, node: ast.AST) -> Function | None:
        is_read = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
        return _function(self._module, node) if is_read and isinstance(node, ast.expr) else None

    @cached_property
    def control_flow(self) -> tuple[ast.Call, ...]:
        found = {node for node in self._nodes if isinstance(node, ast.Call) and self._name(node) in CONTROL_FLOW}
        return tuple(sorted(found, key=lambda call: (call.lineno, call.col_offset)))

    @cached_property
    def derivatives(self) -> tuple[str, ...]:
        names = (self._name(node) for node in self._nodes if isinstance(node, ast.Call))
        return tuple(name for name in names if name in _DERIVATIVES)

    def _name(self, call: ast.Call) -> str:
        return transform_of(self._module, call.func) or ""
