"""Constants of an object whose values a step needs, as static arguments of it: where the object cannot be one."""

import ast
from collections.abc import Collection, Sequence

from jaxfix.api import Module
from jaxfix.api.analysis import Form, Kind, Sources, Values, family, own_class
from jaxfix_codemods.unjitted_update.checks import is_own
from jaxfix_codemods.unjitted_update.settled import has_constants
from jaxfix_codemods.unjitted_update.variables import dotted, own_reads


def constant_attributes(module: Module, row: Sequence[ast.AST], needed: Collection[str]) -> tuple[str, ...]:
    """The attributes `needed` of the own object that hold a Python number, or a text, as long as it lives."""
    found: dict[str, None] = {}
    for part in row:
        for node in own_reads(module, part):
            if node.attr in needed and is_own(module, node.value) and _is_constant(module, node):
                found[dotted(node)] = None
    return tuple(found)


def _is_constant(module: Module, attribute: ast.Attribute) -> bool:
    owner, values = own_class(module, attribute.value), module.get(Values)
    if owner is None or not has_constants(module, attribute, {attribute.attr}):
        return False
    held = Sources(module, values).held(attribute.attr, family(module, owner))
    types = {_type(values, source) for source in held}
    return len(types) == 1 and None not in types


def _type(values: Values, source: ast.AST) -> type | None:
    """The type of a text, a truth value or a whole number; None of others. To `jit`, 1 and `True` are equal."""
    if isinstance(source, ast.Constant):
        return type(source.value) if isinstance(source.value, str | bool | int) else None
    value = values.of(source)
    return int if value.form is Form.PYTHON and value.kind is Kind.INT else None
