"""Variables that the file itself changes after its import: a jitted step of another file would not see it."""

import ast
from collections.abc import Iterator

from jaxfix.effects.stability import changes_itself
from jaxfix.semantic.classes import class_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of, root

_VARS = frozenset({"vars"})


def changed_later(module: Module) -> Iterator[str]:
    """Their names: rebound by functions, changed in place, or objects that change themselves."""
    for statement in module.nodes(ast.Global):
        yield from statement.names
    for name, roots in changes_of(module).roots.items():
        for each in roots if name != "self" else ():
            if module.scope_of(name, each) is module.tree and module.function(each) is not None:
                yield name
                break
    for space in (*module.attributes("__dict__"), *module.spelled_calls(_VARS)):
        of = root(space.args[0] if isinstance(space, ast.Call) and space.args else space)
        if of is not None and module.scope_of(of.id, of) is module.tree and module.function(of) is not None:
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
