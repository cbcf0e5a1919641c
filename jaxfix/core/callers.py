"""Who uses a function: every place of one file that calls it, or does something else with it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxfix.core.model import Module

Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.Name
"""What gives a function its name: its `def`, or the target that it is bound to."""


@dataclass(frozen=True, slots=True)
class Callers:
    """The uses of a function, or of what a name is bound to, in the order of the text.

    Attributes:
      calls: the calls of it.
      others: what else is done with it, such as handing it on.
      closed: no code that was not read can call it, as far as its name and its file tell.
    """

    calls: tuple[ast.Call, ...]
    others: tuple[ast.expr, ...]
    closed: bool


def callers(module: "Module", named: Named) -> Callers:
    """The uses of what `named` names; of a method those through any object, `self` or not."""
    calls: list[ast.Call] = []
    others: list[ast.expr] = []
    for use in sorted(_uses(module, named), key=module.span):
        parent = module.parent(use)
        if isinstance(parent, ast.Call) and parent.func is use:
            calls.append(parent)
        else:
            others.append(use)
    return Callers(tuple(calls), tuple(others), is_closed(module, named))


def is_closed(module: "Module", named: Named) -> bool:
    """Whether no other file is likely to use what `named` names."""
    name = _name(named)
    scope = module.parent(named) if _is_method(module, named) else module.scope_of(name, named)
    if module.is_script:
        return True
    private = name.startswith("_") and not name.endswith("__")
    if isinstance(scope, ast.ClassDef):
        return private
    return private or (scope is not None and scope is not module.tree) or _is_unused_elsewhere(module, name)


def _is_unused_elsewhere(module: "Module", name: str) -> bool:
    """Whether the project knows this file, and no other file of it uses its `name`."""
    own, project = module.surroundings.name, module.surroundings.project
    is_known = own is not None and any(facts.name == own for facts in project.files)
    return is_known and not project.uses(f"{own}.{name}")


def _uses(module: "Module", named: Named) -> Iterator[ast.expr]:
    name = _name(named)
    is_method = _is_method(module, named)
    scope = module.scope_of(name, named)
    for node in module.nodes:
        match node:
            case ast.Attribute(attr=attr, ctx=ast.Load()) if is_method and attr == name:
                yield node
            case ast.Name(id=identifier, ctx=ast.Load()) if not is_method and identifier == name:
                if module.scope_of(name, node) is scope:
                    yield node


def _name(named: Named) -> str:
    return named.id if isinstance(named, ast.Name) else named.name


def _is_method(module: "Module", named: Named) -> bool:
    return not isinstance(named, ast.Name) and isinstance(module.parent(named), ast.ClassDef)
