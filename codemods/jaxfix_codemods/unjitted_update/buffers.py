"""Arrays of NumPy that an object of the file fills again, and that a step may still read."""

import ast

from jaxfix.api import Code, Declined, Module, Reason, returned
from jaxfix.api.analysis import Form, Passing, Values, argument_values, own_class
from jaxfix_codemods.jitting.models import held_by
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
    sources = held_by(module, values, attribute)
    if sources and all(isinstance(each, ast.Dict | ast.Constant) for each in sources):
        return  # its values are read at each call
    is_numpy = any(values.of(each).form is Form.NUMPY for each in sources)
    uses = [(each, module.parent(each)) for each in module.attributes(attribute.attr)]
    is_filled = any(_fills(each, outer) or (is_numpy and isinstance(outer, ast.AugAssign)) for each, outer in uses)
    passing = Passing(module, values)
    calls = module.spelled_calls({owner.name})
    given = [each for call in calls for each in argument_values(call) if isinstance(each, ast.Name)]
    if is_filled or any(map(passing.is_filled, given)):
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
    uses = [(each, module.parent(each)) for each in module.attributes(result.attr)]
    return any(isinstance(outer, ast.AugAssign) or _fills(each, outer) for each, outer in uses)


def _fills(attribute: ast.Attribute, around: ast.AST | None) -> bool:
    """Whether a statement stores into what the attribute holds."""
    return isinstance(around, ast.Subscript) and around.value is attribute and not isinstance(around.ctx, ast.Load)
