"""Arrays of NumPy that an object of the file fills again, and that a step may still read."""

import ast

from jaxfix.api import Code, Declined, Module, Reason, returned
from jaxfix.api.analysis import Passing, Values, argument_values, own_class
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


def check_attribute(module: Module, values: Values, attribute: ast.Attribute) -> None:
    """Refuses an attribute of the own object for an array of NumPy that the file fills again.

    Raises:
      Declined: the step may run while it is filled.
    """
    owner = own_class(module, attribute.value)
    if owner is None or module.get(Device).is_array(attribute):
        return
    calls = module.spelled_calls({owner.name})
    passing = Passing(module, values)
    given = [each for call in calls for each in argument_values(call) if isinstance(each, ast.Name)]
    if _is_filled(module, attribute) or any(map(passing.is_filled, given)):
        shown = module.text(attribute)
        raise Declined(
            Reason(Code.MUTATED, f"`{shown}` may be filled again, perhaps while the jitted step still reads it")
        )


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
