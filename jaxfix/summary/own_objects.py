"""Objects of a file's own making: what is set on them changes no module."""

import ast

from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import last_name


def is_own(module: Module, target: ast.expr) -> bool:
    """Whether it is the object of a method, for its bases too, or one that a call here has made."""
    if isinstance(target, ast.Call):
        return isinstance(target.func, ast.Name) and target.func.id == "super"
    if not isinstance(target, ast.Name):
        return False
    function = module.function(target)
    around = module.method_of(function) if function is not None else None
    scope = module.scope_of(target.id, target)
    if around is not None and function is not None and target.id == _first(function):
        return True
    bound = module.bindings(target.id, scope) if scope is not None else ()
    values = [module.value_of(b.node) if isinstance(b.node, ast.Name) else None for b in bound]
    return bool(values) and all(isinstance(v, ast.Call) and _makes(v.func) for v in values)


def _makes(func: ast.expr) -> bool:
    """Whether a call makes an object: of a class, by its name, or by `cls.__new__`."""
    last = last_name(func) or ""
    return last[:1].isupper() or last == "__new__"


def _first(function: ast.AST) -> str | None:
    arguments = getattr(function, "args", None)
    return arguments.args[0].arg if isinstance(arguments, ast.arguments) and arguments.args else None
