"""Settings whose values a trace must know, and which stay while the loop runs: lengths, sizes, flags, options."""

import ast
from collections.abc import Collection

from jaxfix.api import Module, walk
from jaxfix.api.analysis import During, Form, Kind, Values, instance_state, why_unstable
from jaxfix_codemods.jitting.whole import LOOPS
from jaxfix_codemods.unjitted_update.captured import are_captured
from jaxfix_codemods.unjitted_update.checks import is_own
from jaxfix_codemods.unjitted_update.variables import own_reads


def is_settled(module: Module, name: str, part: ast.AST, inside: Collection[ast.AST]) -> bool:
    """Whether `name`, which `part` of a loop reads, is such a setting: a function before the loop may read it.

    Args:
      inside: nodes that change none of what they read.
    """
    values = module.get(Values)
    around = module.function(part)
    scope: ast.AST = around or module.tree
    loops = [outer for outer in module.ancestors(part) if isinstance(outer, LOOPS) and module.function(outer) is around]
    uses = [node for node in walk(part) if isinstance(node, ast.Name) and node.id == name]
    uses = uses or list(module.reads(name, scope))  # a function that it calls reads it
    if not uses or not loops or module.scope_of(name, uses[0]) is not scope:
        return False
    if why_unstable(module, name, scope, during=During(loops[-1])) is not None:
        return False
    found = [values.of(use) for use in uses]
    is_number = all(each.form is Form.PYTHON and each.kind is Kind.INT for each in found)
    return is_number or are_captured(module, name, scope, loops[-1], inside)


def has_constants(module: Module, part: ast.AST, attributes: Collection[str]) -> bool:
    """Whether these attributes of its object, as far as `part` of a method reads them, are bound when it is made."""
    reads = [node for node in own_reads(module, part) if node.attr in attributes and is_own(module, node.value)]
    reasons = (
        instance_state.why_read_unstable(module, module.get(Values), node.value)
        for node in reads
        if isinstance(node.value, ast.Name)
    )
    return bool(reads) and not any(reasons)
