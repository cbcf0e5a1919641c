"""Arrays of NumPy that an object of the file fills again, and that a step may still read."""

import ast

from jaxfix.api import Code, Declined, Module, Reason, returned
from jaxfix_codemods.jitting.whole import leaves
from jaxfix_codemods.unjitted_update.checks import is_own
from jaxfix_codemods.unjitted_update.device import Device


def check_buffer(module: Module, name: str, scope: ast.AST) -> None:
    """Refuses a variable for what a method returns, and fills at its next call.

    Raises:
      Declined: the step may run while the method fills it.
    """
    bound = [module.statement(each.node) for each in module.bindings(name, scope) if isinstance(each.node, ast.Name)]
    calls = (each.value for each in bound if isinstance(each, ast.Assign))
    for call in calls:
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and _gives_buffer(module, call.func.attr)
        ):
            text = (
                f"`{name}` is filled again by `{module.text(call.func)}`, perhaps while the jitted step still reads it"
            )
            raise Declined(Reason(Code.MUTATED, text))


def _gives_buffer(module: Module, method: str) -> bool:
    if method not in module.names.defining:
        return False
    named = [each for each in module.functions if getattr(each, "name", None) == method]
    results = (leaf for each in named if module.method_of(each) for result in returned(each) for leaf in leaves(result))
    return any(_is_filled(module, leaf) for leaf in results)


def _is_filled(module: Module, result: ast.AST) -> bool:
    while isinstance(result, ast.Subscript):
        result = result.value
    if not (isinstance(result, ast.Attribute) and is_own(module, result.value)) or module.get(Device).is_array(result):
        return False
    stores = [(each, module.parent(each)) for each in module.attributes(result.attr)]
    return any(
        isinstance(outer, ast.AugAssign)
        or (isinstance(outer, ast.Subscript) and outer.value is each and not isinstance(outer.ctx, ast.Load))
        for each, outer in stores
    )
