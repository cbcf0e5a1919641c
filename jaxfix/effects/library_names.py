"""Whether a name of a library may stand for something else by the time that it is read."""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.effects.invariance import Constancy, constancy
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of, root
from jaxfix.semantic.project.query import REBINDS, STORES
from jaxfix.semantic.project.summary_types import ANY_NAME
from jaxfix.syntax.nodes import walk


def replaced_names(module: Module, parts: Iterable[ast.AST]) -> Iterator[str]:
    """The texts, in order, of names of libraries in `parts` that code of the project may replace, such as `jax.jit`."""
    for node in (node for part in parts for node in walk(part)):
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(module.parent(node), ast.Attribute):
            qualname = module.qualname(node)
            if qualname is not None and _is_replaced(module, node, qualname):
                yield module.text(node)


def is_perhaps_stored(module: Module, attribute: str) -> bool:
    """Whether it is stored on an object that may be a module."""
    return attribute in changes_of(module).perhaps_rebound or module.surroundings.project.ask(STORES, attribute)


def is_perhaps_rebound(module: Module, qualname: str) -> bool:
    """Whether another file binds a name of a module or a module around it, or can reach all of their names."""
    parts = qualname.split(".")
    owners = [(".".join(parts[:end]), parts[end]) for end in range(1, len(parts))]
    project = module.surroundings.project
    return any(project.ask(REBINDS, f"{owner}.{each}") for owner, name in owners for each in (name, ANY_NAME))


def _is_replaced(module: Module, node: ast.Name | ast.Attribute, qualname: str) -> bool:
    name = root(node)
    is_global = name is not None and module.scope_of(name.id, name) is module.tree
    if name is not None and is_global and constancy(module, name.id, module.tree) is not Constancy.CONSTANT:
        return True
    return is_perhaps_stored(module, qualname.rpartition(".")[2]) or is_perhaps_rebound(module, qualname)
