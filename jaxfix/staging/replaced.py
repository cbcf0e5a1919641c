"""Whether the name of a function may stand for something else by the time that it is called."""

import ast

from jaxfix.semantic.dominance import exclude
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of, is_stored
from jaxfix.semantic.project.query import REBINDS, STORES
from jaxfix.staging.jit import transform_of
from jaxfix.syntax.nodes import Function


def is_replaced(module: Module, function: Function) -> bool:
    """Whether something puts another object in the place of `function`, such as itself under jit."""
    if isinstance(function, ast.Lambda):
        return False
    owner = module.parent(function)
    if isinstance(owner, ast.ClassDef):
        stored = is_stored(module, function.name) or changes_of(module).any_attribute
        return stored or not _are_plain(module, owner)
    scope = module.scope_of(function.name, function) or module.tree
    every = (binding.node for binding in module.bindings(function.name, scope))
    found = [node for node in every if not (isinstance(node, ast.FunctionDef) and exclude(module, node, function))]
    if scope is module.tree and _is_bound_from_elsewhere(module, function.name):
        return True
    return len(found) > 1 and not _is_put_under_jit(module, function, found)


def _is_put_under_jit(module: Module, function: Function, found: list[ast.AST]) -> bool:
    """Whether all else that the name is bound to is the function itself, called: `step = jax.jit(step)`."""
    match found:
        case [ast.FunctionDef() as first, ast.Name() as target] if first is function:
            around = module.parent(module.statement(target))
            return around is module.parent(function) and target.lineno > function.lineno
    return False


def _is_bound_from_elsewhere(module: Module, name: str) -> bool:
    changes, surroundings = changes_of(module), module.surroundings
    if name in changes.rebound | changes.perhaps_rebound or changes.any_global:
        return True
    own, project = surroundings.name, surroundings.project
    return project.ask(STORES, name) or (own is not None and project.ask(REBINDS, f"{own}.{name}"))


def _are_plain(module: Module, owner: ast.ClassDef) -> bool:
    """Whether the decorators of the class are known to leave its methods unchanged."""
    names = [transform_of(module, decorator) or module.text(decorator) for decorator in owner.decorator_list]
    return all("dataclass" in name or "register_pytree" in name or name in ("final", "typing.final") for name in names)
