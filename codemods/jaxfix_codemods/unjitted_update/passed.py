"""Functions that a caller passes on, and that a step at the top of a file takes as static arguments."""

import ast
from collections.abc import Collection

from jaxfix.api import Declined, Module, arguments_of
from jaxfix.api.analysis import Values, callers
from jaxfix_codemods.jitting.whole import check_made_once
from jaxfix_codemods.unjitted_update.device import is_made_by_library


def are_made_once(module: Module, values: Values, function: ast.FunctionDef, names: Collection[str]) -> bool:
    """Whether `names` are parameters of `function` for which each call passes a function that is made once."""
    uses = callers(module, function)
    parameters = [module.bindings(name, function) for name in names]
    if not all(len(bound) == 1 and isinstance(bound[0].node, ast.arg) for bound in parameters):
        return False
    if not uses.calls or uses.others or not uses.is_closed() or uses.outside:
        return False
    for call in uses.calls:
        given = arguments_of(function, call) or {}
        if not all((passed := given.get(name)) is not None and _is_made_once(module, values, passed) for name in names):
            return False
    return True


def _is_made_once(module: Module, values: Values, passed: ast.expr) -> bool:
    """Whether `passed` is a function of the module or a library, or is made where its function is called once."""
    if module.qualname(passed) is not None:
        return True
    if not isinstance(passed, ast.Name) or len(module.bindings(passed.id, module.scope_of(passed.id, passed))) != 1:
        return False
    return _stands_once(module, passed) and all(
        isinstance(source, ast.FunctionDef | ast.Lambda) or is_made_by_library(module, source)
        for source in values.origins.of(passed)
    )


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
