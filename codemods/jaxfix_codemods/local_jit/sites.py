"""Where jitted functions are created, and which are new at every call of their enclosing function."""

import ast
from collections.abc import Iterator

from jaxfix.api import Jit, Module, Staging, frozen, jit_of, jittings
from jaxfix.api.analysis import Argument, LocalUses, function_identity, local_uses, transform_of
from jaxfix.api.library import HOLDING, Transform, where

_TRACING = where(Transform.SHAPES_ONLY)
_INSIDE_MODELS = where(Transform.LIFTED)
"""Transformations of layers, which run under another trace."""


@frozen
class Site:
    """A function that is created: a jitted one, or one that is passed to a jitted one as a static argument.

    Attributes:
      at: what makes it: the call of the transformation, the decorator, or the argument.
      by: the transformation.
      made: what is evaluated or defined repeatedly.
      function: the `def` that is decorated; None for a call.
      stay: its uses; none of an argument.
      taker: the call that an argument is passed to; None for what is jitted itself.
      renamed: the statement `step = jax.jit(step)` that jits `function` instead of a decorator.
    """

    at: ast.expr
    by: str
    made: ast.AST
    function: ast.FunctionDef | None
    stay: LocalUses
    taker: ast.Call | None = None
    renamed: ast.Assign | None = None

    @property
    def inner(self) -> ast.expr:
        """The expression of the function that a transformation is called with, or that is passed."""
        return self.at.args[0] if isinstance(self.at, ast.Call) and self.taker is None else self.at


def sites(module: Module) -> Iterator[Site]:
    """The jitted functions that this file makes repeatedly, as far as it tells."""
    found = [
        site
        for site in (
            *_decorated(module),
            *_renamed(module),
            *_called(module),
            *_handed(module),
            *_held_by_libraries(module),
        )
        if _is_costly(module, site)
    ]
    places: set[ast.AST] = {site.at for site in found}
    handed: set[ast.AST] = set()
    for site in found:
        if not places.isdisjoint(module.ancestors(site.at)) or (site.taker and site.made in handed):
            continue
        if site.taker:
            handed.add(site.made)
        yield site


def _decorated(module: Module) -> Iterator[Site]:
    for function in module.functions:
        if isinstance(function, ast.FunctionDef) and (module.function(function) or module.loops(function)):
            at = function_identity.outermost_jit(module, function)
            uses = local_uses(module, function) if at is not None and module.method_of(function) is None else None
            if at is not None and uses is not None:
                yield Site(at, transform_of(module, at) or "", function, function, uses)


def _renamed(module: Module) -> Iterator[Site]:
    """A local `def`, and after it `step = jax.jit(step)`: as if it were decorated."""
    for call, found in jittings(module):
        statement = module.parent(call)
        match statement, call.args:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value), [ast.Name() as given] if (
                value is call and given.id == name
            ):
                pass
            case _:
                continue
        scope = module.scope_of(name, target)
        match [binding.node for binding in module.bindings(name, scope)]:
            case [ast.FunctionDef(decorator_list=[]) as function, ast.Name() as last] if last is target:
                pass
            case _:
                continue
        if module.function(call) is None and not module.loops(call):
            continue
        if not _is_right_behind(module, function, statement):
            continue
        uses = local_uses(module, function, frozenset({given}))
        if uses is not None and not any(module.span(use).end < module.span(call).start for use in uses.names):
            yield Site(call, found.jit.by, function, function, uses, renamed=statement)


def _is_right_behind(module: Module, function: ast.FunctionDef, statement: ast.stmt) -> bool:
    """Whether nothing on the way from the one to the other decides whether the other runs."""
    parent = module.parent(function)
    if parent is not module.parent(statement):
        return False
    blocks = (getattr(parent, name, []) for name in ("body", "orelse", "finalbody"))
    return any(function in block and statement in block for block in blocks)


def _called(module: Module) -> Iterator[Site]:
    for call, found in jittings(module):
        if module.function(call) is None and not module.loops(call):
            continue
        made = function_identity.made_anew(module, call.args[0], found.jit.by)
        uses = local_uses(module, call) if made is not None else None
        if made is not None and uses is not None:
            yield Site(call, found.jit.by, made, None, uses)


def _handed(module: Module) -> Iterator[Site]:
    for call in function_identity.given_anew(module):
        found = jit_of(module, call.func) if module.function(call) is not None or module.loops(call) else None
        if found is None:
            continue
        arguments: list[tuple[Argument, ast.expr]] = list(enumerate(call.args))
        arguments += [(k.arg, k.value) for k in call.keywords if k.arg is not None]
        for key, argument in arguments:
            made = function_identity.made_anew(module, argument, found.by) if is_held(found, key) else None
            if made is not None:
                yield Site(argument, found.by, made, None, LocalUses(), call)


def _held_by_libraries(module: Module) -> Iterator[Site]:
    """Functions that are passed to what finds its programs by them: solvers and terms of equations."""
    for call in module.calls(*HOLDING):
        if module.function(call) is None and not module.loops(call):
            continue
        name = module.qualname(call.func) or ""
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        for taken in HOLDING[name].calls:
            argument = call.args[taken.position] if taken.position < len(call.args) else named.get(taken.name)
            made = function_identity.made_anew(module, argument, "equinox.filter_jit") if argument is not None else None
            if argument is not None and made is not None:
                yield Site(argument, name, made, None, LocalUses(), call)


def is_held(jit: Jit, key: Argument) -> bool:
    """Whether a function that is passed there becomes a part of the key that programs are kept under."""
    return jit.by == "equinox.filter_jit" or (jit.by == "jax.jit" and jit.is_static(key) is True)


def _is_costly(module: Module, site: Site) -> bool:
    if site.by in _INSIDE_MODELS or module.get(Staging).is_staged(site.made) or module.get(Staging).is_staged(site.at):
        return False
    compiling = [use for use in site.stay.handed if not _is_only_traced(module, use)]
    if not (site.stay.calls or compiling or site.taker) or function_identity.is_memoised(module, site.made):
        return False
    return module.get(Staging).may_repeat(site.made)


def _is_only_traced(module: Module, use: ast.AST) -> bool:
    """Whether `use` passes the function to something that traces it, and compiles nothing."""
    call = module.parent(use)
    return isinstance(call, ast.Call) and module.qualname(call.func) in _TRACING


def surely_repeats(module: Module, site: Site) -> bool:
    """Whether it was read that it is made and used repeatedly."""
    uses = (*site.stay.calls, *site.stay.handed, *([site.taker] if site.taker else ()))
    return module.get(Staging).surely_repeats(site.made) and any(
        module.get(Staging).surely_repeats(use) for use in uses
    )


def is_bound_in(module: Module, name: ast.Name, loop: ast.AST) -> bool:
    """Whether the loop binds the variable."""
    bound = module.bindings(name.id, scope) if (scope := module.scope_of(name.id, name)) is not None else ()
    return any(loop in module.ancestors(binding.node) for binding in bound)
