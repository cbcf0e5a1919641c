"""Arrays that statements make of lists which the loop fills: each is made outside, and passed."""

import ast
from collections.abc import Collection

from jaxfix.api import Module
from jaxfix.api.analysis import Passing, Values
from jaxfix_codemods.jitting.whole import LOOPS
from jaxfix_codemods.unjitted_update.checks import is_own
from jaxfix_codemods.unjitted_update.device import CONVERTERS, Device
from jaxfix_codemods.unjitted_update.items import is_chosen
from jaxfix_codemods.unjitted_update.options import is_set_later, may_be_filled

Converted = dict[str, list[ast.Call]]
"""By their text."""


def converted(module: Module, values: Values, nodes: Collection[ast.AST], scope: ast.AST) -> Converted:
    """The calls among `nodes` such as `jnp.array(rewards)`, of a list of the scope, or of its object, that is filled.

    A trace would read the list, and never its later contents. One that nothing empties has another length each time.
    """
    stores = (n for n in nodes if isinstance(n, ast.Name | ast.Attribute) and not isinstance(n.ctx, ast.Load))
    bound = {module.text(n) for n in stores}
    passing = Passing(module, values)
    found: Converted = {}
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        is_made = _is_of_list(module, passing, call, scope) and module.text(call.args[0]) not in bound
        if is_made and not is_chosen(module, call):
            found.setdefault(module.text(call), []).append(call)
    return found


def _is_of_list(module: Module, passing: Passing, call: ast.Call, scope: ast.AST) -> bool:
    if module.qualname(call.func) not in CONVERTERS or not call.args or module.get(Device).is_array(call.args[0]):
        return False
    options = (*call.args[1:], *(keyword.value for keyword in call.keywords))
    if not all(isinstance(each, ast.Constant) or module.qualname(each) is not None for each in options):
        return False
    match call.args[0]:
        case ast.Name(id=name) as whole:
            is_variable = module.scope_of(name, whole) is scope and not is_own(module, whole)
            return is_variable and passing.is_filled(whole) and _begins_again(module, name, scope)
        case ast.Attribute(value=ast.Name(id=name) as root, attr=attr) if is_own(module, root):
            is_of_scope = module.scope_of(name, root) is scope
            return is_of_scope and may_be_filled(module, attr) and is_set_later(module, attr)
    return False


def _begins_again(module: Module, name: str, scope: ast.AST) -> bool:
    """Whether a loop binds the list to a new one."""
    return any(any(isinstance(each, LOOPS) for each in module.loops(b.node)) for b in module.bindings(name, scope))


def converted_name(call: ast.Call) -> str:
    """A name for the array: `rewards_array` of `jnp.array(self.rewards)`."""
    match call.args[0]:
        case ast.Name(id=whole) | ast.Attribute(attr=whole):
            return f"{whole.strip('_')}_array"
    return "array"
