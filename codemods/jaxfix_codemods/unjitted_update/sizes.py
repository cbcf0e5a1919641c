"""Numbers that a caller passes, and that a step makes shapes of: each compiles anyway, so they are static arguments."""

import ast

from jaxfix.api import Module
from jaxfix.api.analysis import default_of


def is_passed_size(module: Module, name: str, part: ast.AST) -> bool:
    """Whether `name`, whose value `part` needs, is a parameter of the function for a whole number, by its default."""
    function = module.function(part)
    if not isinstance(function, ast.FunctionDef):
        return False
    match module.bindings(name, function):
        case (binding,) if isinstance(binding.node, ast.arg):
            default = default_of(function, name)
            return isinstance(default, ast.Constant) and type(default.value) is int
    return False
