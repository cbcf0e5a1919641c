"""Variables that the file itself changes after its import: a jitted step of another file would not see it."""

import ast
from collections.abc import Iterator

from jaxfix.effects.stability import changes_itself
from jaxfix.semantic.classes import class_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of, root


def changed_later(module: Module) -> Iterator[str]:
    """Their names: rebound by functions, changed in place, or objects that change themselves."""
    for statement in module.nodes(ast.Global):
        yield from statement.names
    for name, roots in changes_of(module).roots.items():
        if name != "self" and any(_is_later(module, each) for each in roots):
            yield name
    for space in (*module.attributes("__dict__"), *module.spelled_calls(frozenset({"vars"}))):
        of = root(space.args[0] if isinstance(space, ast.Call) and space.args else space)
        if of is not None and _is_later(module, of):
            yield of.id
    if module.nodes(ast.ClassDef):
        yield from _changing_objects(module)


def _changing_objects(module: Module) -> Iterator[str]:
    """Objects of classes of the file, made when it is imported."""
    for statement in module.tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or not isinstance(statement.value, ast.Call):
            continue
        owner = class_of(module, statement.value.func)
        if owner is not None and changes_itself(module, owner):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _is_later(module: Module, name: ast.Name) -> bool:
    """Whether it is a variable of the file, in a function."""
    return module.function(name) is not None and module.scope_of(name.id, name) is module.tree
