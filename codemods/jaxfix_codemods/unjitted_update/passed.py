"""Functions that a caller passes on, and that a step at the top of a file takes as static arguments."""

import ast
from collections.abc import Collection

from jaxfix.api import Code, Declined, Module, Reason, arguments_of
from jaxfix.api.analysis import Values, callers, outside_arguments
from jaxfix.api.library import Effect, short_names
from jaxfix_codemods.jitting.applied import is_method, is_model
from jaxfix_codemods.jitting.whole import check_made_once
from jaxfix_codemods.unjitted_update.device import is_made_by_library

_FUNCTIONAL = short_names(Effect.FUNCTIONAL)


def are_made_once(module: Module, values: Values, function: ast.FunctionDef, names: Collection[str]) -> bool:
    """Whether `names` are parameters of `function` for which each call passes a function that is made once.

    A model counts as one: it equals others with the same fields.
    """
    uses = callers(module, function)
    parameters = [module.bindings(name, function) for name in names]
    if not all(len(bound) == 1 and isinstance(bound[0].node, ast.arg) for bound in parameters):
        return False
    if uses.outside and all(_only_applies(module, name, function) for name in names):
        return True
    if not uses.calls or uses.others or not uses.is_closed() or uses.outside:
        return False
    for call in uses.calls:
        given = arguments_of(function, call) or {}
        if not all((passed := given.get(name)) is not None and _is_made_once(module, values, passed) for name in names):
            return False
    return True


def check_callers(module: Module, name: str, function: ast.AST | None) -> None:
    """Refuses a function that a file may pass for a parameter in place of its default: it is not read.

    Raises:
      Declined: some other file does, or passes the function around on.
    """
    if not isinstance(function, ast.FunctionDef):
        return
    for each in callers(module, function).outside:
        given = outside_arguments(function, each.call) if each.call is not None else None
        if given is None or given.get(name) is not None:
            raise unknown_caller(name)


def _only_applies(module: Module, name: str, function: ast.FunctionDef) -> bool:
    """Whether a function applies what other files alone pass for a parameter, and does nothing else with it."""
    uses = module.reads(name, function)
    methods = [module.parent(use) for use in uses]
    are_applied = all(isinstance(each, ast.Attribute) and is_method(module, each) for each in methods)
    return bool(uses) and are_applied and all(takes_one_object(module, use) for use in uses)


def takes_one_object(module: Module, use: ast.Name) -> bool:
    """Whether each other file passes one object for a parameter whose `update` is called, or that is applied."""
    method, function = module.parent(use), module.scope_of(use.id, use)
    if not isinstance(method, ast.Attribute):
        return False
    is_known = method.attr in _FUNCTIONAL or is_method(module, method)
    if not is_known or not isinstance(function, ast.FunctionDef):
        return False
    uses = callers(module, function)
    if uses.calls or uses.others or not uses.is_closed():
        return False
    calls = [outside_arguments(function, each.call) if each.call is not None else None for each in uses.outside]
    passed = [given.get(use.id) if given is not None else None for given in calls]
    return bool(passed) and all(
        each is not None and each.text.isidentifier() and each.why_unstable is None and not each.again
        for each in passed
    )


def unknown_caller(name: str) -> Declined:
    """That it is not known what stands for a parameter."""
    return Declined(Reason(Code.UNREAD, f"the step calls `{name}`, and a caller may pass anything"))


def _is_made_once(module: Module, values: Values, passed: ast.expr) -> bool:
    """Whether `passed` is a function of the module or a library, or is made where its function is called once."""
    if module.qualname(passed) is not None:
        return True
    if isinstance(passed, ast.Attribute) and is_method(module, passed):
        holder = passed.value
        return isinstance(holder, ast.Name) and _is_bound_once(module, holder) and _stands_once(module, holder)
    if not isinstance(passed, ast.Name) or not _is_bound_once(module, passed):
        return False
    return _stands_once(module, passed) and all(
        isinstance(source, ast.FunctionDef | ast.Lambda)
        or is_made_by_library(module, source)
        or is_model(module, source)
        for source in values.origins.of(passed)
    )


def _is_bound_once(module: Module, passed: ast.Name) -> bool:
    found = module.bindings(passed.id, module.scope_of(passed.id, passed))
    return len(found) == 1 and not isinstance(found[0].node, ast.arg)  # that may be another function in another run


def _stands_once(module: Module, passed: ast.Name) -> bool:
    (binding,) = module.bindings(passed.id, module.scope_of(passed.id, passed))
    statement = module.statement(binding.node)
    if module.loops(statement):
        return False
    try:
        check_made_once(module, statement)
    except Declined:
        return False
    return True
