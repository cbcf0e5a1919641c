"""Whether what a jitted function reads when it is traced first is what it would be at each of its calls."""

import ast
import re

from jaxfix.api import Code, Declined, Module, Reason
from jaxfix.api.analysis import changes_of, hoisting, is_stored
from jaxfix.api.library import Effect, short_names
from jaxfix_codemods.local_jit.sites import Site

_READERS = short_names(Effect.CALLS_NOTHING)


def check_timing(module: Module, site: Site, one: hoisting.Taken, call: ast.Call) -> None:
    """Refuses what may be another thing at `call` than it was when the jit was traced.

    Raises:
      Declined: why.
    """
    single, around = len(site.stay.calls) == 1, module.function(site.made)
    if _is_called_at_once(site, call) and single:
        return  # made, called and forgotten in one expression
    if module.function(call) is not around:
        raise Declined(
            Reason(Code.OTHER_USES, f"it is called in another function, and needs the argument `{one.text}`")
        )
    between = [loop for loop in module.loops(call) if loop not in module.loops(site.made)]
    if single and not between:
        return
    _check_name(module, site, one, call, between)
    _check_object(module, site, one)


def check_kept(module: Module, site: Site, one: hoisting.Taken, call: ast.Call) -> None:
    """Refuses what may be another thing at `call` than it was when the function was made.

    Raises:
      Declined: why.
    """
    if module.function(call) is not module.function(site.made):
        raise Declined(Reason(Code.OTHER_USES, "it is called in another function"))
    between = [loop for loop in module.loops(call) if loop not in module.loops(site.made)]
    is_only = len(site.stay.calls) == 1 and not between
    _check_name(module, site, one, call, between, module.statement(call) if is_only else None)
    _check_object(module, site, one)


def _check_name(
    module: Module,
    site: Site,
    one: hoisting.Taken,
    call: ast.Call,
    between: list[ast.AST],
    last_of_all: ast.stmt | None = None,
) -> None:
    """The variable must not be bound again, which the loops `between` the jit and its call would do.

    What `last_of_all`, the statement of the only call, binds comes after that.
    """
    scope, around = module.scope_of(one.name, site.made) or module.tree, module.function(site.made)
    found = [binding.node for binding in module.bindings(one.name, scope)]
    if any(module.function(node) is not around for node in found if not isinstance(node, ast.arg)):
        raise Declined(Reason(Code.REBOUND, f"`{one.name}` is bound elsewhere too"))
    first, last = module.statement(site.made).lineno, module.statement(call).lineno
    for node in found:
        is_assigned = isinstance(node, ast.Name) and not isinstance(module.parent(node), ast.NamedExpr)
        if last_of_all is not None and is_assigned and module.statement(node) is last_of_all:
            continue
        inside = any(loop in module.ancestors(node) for loop in between)
        line = getattr(node, "lineno", 0)
        if inside or (first <= line <= last and node not in module.ancestors(site.made)):
            raise Declined(
                Reason(Code.REBOUND, f"`{one.name}` is rebound between its calls, and it keeps the first value")
            )


def _check_object(module: Module, site: Site, one: hoisting.Taken) -> None:
    """The object behind the variable must not change either."""
    scope = module.scope_of(one.name, site.made) or module.tree
    changed = any(module.scope_of(one.name, root) is scope for root in changes_of(module).roots.get(one.name, ()))
    attributes = set(re.findall(r"\.(\w+)", one.text))
    computed = {f.name for f in module.functions if isinstance(f, ast.FunctionDef)}
    stored = not attributes.isdisjoint(computed) or any(is_stored(module, each) for each in attributes)
    if changed or stored or ("." in one.text and changes_of(module).any_attribute):
        raise Declined(
            Reason(Code.UNSTABLE, f"`{one.text}` can change between its calls, and it keeps the first value")
        )
    if hoisting.is_plain(module, one.name, scope):
        return
    given = _given(module, one, site, module.function(site.made) or module.tree)
    if given is not None:
        raise Declined(Reason(Code.UNSTABLE, f"`{module.text(given)}` may change `{one.text}` between its calls"))


def _is_called_at_once(site: Site, call: ast.Call) -> bool:
    """Whether the jit is called in the expression that makes it and its function."""
    return site.at is call.func and not isinstance(site.made, ast.FunctionDef)


def _given(module: Module, one: hoisting.Taken, site: Site, around: ast.AST) -> ast.AST | None:
    """What may change the object behind what is taken between the calls of the jit: it gets it, or is its method."""
    scope = module.scope_of(one.name, site.made)
    inside = site.function or site.at
    for name in module.uses(one.name, scope):
        if around not in module.ancestors(name):
            continue
        if isinstance(alias := module.parent(name), ast.Assign) and alias.value is name:
            return alias
        call = _taker(module, name, is_object="." in one.text)
        if call is None or inside in (call, *module.ancestors(call)) or call in site.stay.calls:
            continue
        is_builtin = isinstance(call.func, ast.Name) and call.func.id in _READERS
        if not is_builtin and not (module.qualname(call.func) or "").startswith("jax."):
            return call.func
    return None


def _taker(module: Module, name: ast.Name, *, is_object: bool) -> ast.Call | None:
    parent = module.parent(name)
    if isinstance(parent, ast.keyword | ast.Starred):
        parent = module.parent(parent)
    match parent:
        case ast.Call() if parent.func is not name:
            return parent
        case ast.Attribute() as method if is_object:
            call = module.parent(method)
            return call if isinstance(call, ast.Call) and call.func is method else None
    return None
