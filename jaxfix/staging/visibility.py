"""Who can call a function without naming it in its file: other files, a test runner, what its decorators made of it."""

import ast

from jaxfix.library.facets import Effect, Transform
from jaxfix.library.table import short_names, where
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import Wrapping
from jaxfix.staging.decorators import wrapping
from jaxfix.staging.jit import transform_of
from jaxfix.staging.scripts import is_script
from jaxfix.syntax.nodes import Function

JITS = where(Transform.TRACES)
DERIVATIVES = where(Transform.DIFFERENTIATES)
MAPS = where(Transform.BATCHES) | where(Transform.PASSES_ON)
"""What makes a function of another that calls it and puts nothing under `jit`."""
RULES = short_names(Transform.DERIVATIVE_RULE)
"""The registrations of a hand-written derivative."""
_MEMOS = where(Effect.MEMOISES)
_KNOWN_DECORATORS = JITS | MAPS | DERIVATIVES | _MEMOS | where(Transform.TRANSPARENT)
_TRANSPARENT_DECORATORS = short_names(Transform.TRANSPARENT, "builtins", "abc", "typing_extensions")
_RUN_BY_TEST_RUNNERS = ("test", "setUp", "tearDown")


def is_private(attribute: str) -> bool:
    """Whether an attribute belongs to its class, and to those below it."""
    return attribute.startswith("_") and not attribute.endswith("__")


def is_private_name(function: Function) -> bool:
    return not isinstance(function, ast.Lambda) and is_private(function.name)


def is_public(module: Module, function: Function) -> bool:
    """Whether unknown code may call `function` by its name."""
    if isinstance(function, ast.Lambda) or is_script(module) or module.source.holds_tests:
        return False
    if module.function(function) is not None:
        return isinstance(module.parent(function), ast.ClassDef)
    return not is_private(function.name)


def is_listed(module: Module, function: Function) -> bool:
    """Whether `__all__` names the function, or the class that it is a method of."""
    return module.path(function).partition(".")[0] in module.get(_listed)


def _listed(module: Module) -> frozenset[str]:
    named = (node for statement in module.tree.body if _lists(statement) for node in ast.walk(statement))
    return frozenset(node.value for node in named if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _lists(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AugAssign(target=ast.Name(id="__all__")):
            return True
        case ast.AnnAssign(target=ast.Name(id="__all__")):
            return True
    return False


def name_for_others(module: Module, function: Function) -> str | None:
    """The dotted name by which other files know `function`; None for one inside a function, or of a script."""
    own = module.surroundings.name
    if own is None or isinstance(function, ast.Lambda) or module.function(function) is not None:
        return None
    return f"{own}.{module.path(function)}"


def plain_method(module: Module, function: Function) -> str | None:
    """The `.name@module` of a public method that nothing but its name leads to; None for any other function."""
    own, is_method = module.surroundings.name, module.method_of(function) is not None
    if own is None or not is_method or isinstance(function, ast.Lambda) or decorators(function):
        return None
    return None if function.name.startswith("_") else f".{function.name}@{own}"


def is_called_by_a_runner(module: Module, function: Function) -> bool:
    """Whether it is a test, or prepares one: whatever its decorators, one call is one case."""
    if not module.source.holds_tests or isinstance(function, ast.Lambda):
        return False
    return module.function(function) is None and function.name.startswith(_RUN_BY_TEST_RUNNERS)


def decorators(function: Function) -> list[ast.expr]:
    return [] if isinstance(function, ast.Lambda) else function.decorator_list


def is_static(function: Function) -> bool:
    return any(isinstance(name, ast.Name) and name.id == "staticmethod" for name in decorators(function))


def is_memoised(module: Module, function: Function) -> bool:
    return any(transform_of(module, decorator) in _MEMOS for decorator in decorators(function))


def is_jitted(module: Module, function: Function) -> bool:
    return any(
        transform_of(module, decorator) in JITS or wrapping(module, decorator) is Wrapping.STAGES
        for decorator in decorators(function)
    )


def has_strange_decorator(module: Module, function: Function) -> bool:
    """Whether it is unknown what a decorator makes of `function`, and who then calls it."""
    return any(_is_strange(module, decorator) for decorator in decorators(function))


def _is_strange(module: Module, decorator: ast.expr) -> bool:
    return not is_known_decorator(module, decorator) and wrapping(module, decorator) is not Wrapping.CALLS


def is_known_decorator(module: Module, decorator: ast.expr) -> bool:
    """Whether `decorator` is of a library, and known to call what it decorates where the result is called."""
    plain = decorator.id if isinstance(decorator, ast.Name) else getattr(decorator, "attr", None)
    return plain in _TRANSPARENT_DECORATORS or transform_of(module, decorator) in _KNOWN_DECORATORS


def ruled_by(module: Module, function: Function) -> Function | None:
    """The function whose derivative `function` says, by its decorator: it runs where that does."""
    for decorator in decorators(function):
        if isinstance(decorator, ast.Attribute) and decorator.attr in RULES:
            return module.definition(decorator.value)
    return None
