"""Variables that the file itself changes after its import: a jitted step of another file would not see it."""

import ast
from collections.abc import Iterator

from jaxfix.effects.stability import changes_itself, is_changing
from jaxfix.semantic.classes import class_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import MUTATORS, changes_of, root
from jaxfix.syntax.nodes import last_name


def changed_later(module: Module) -> Iterator[str]:
    """Their names: rebound by functions, changed in place, or objects that change themselves."""
    for statement in module.nodes(ast.Global):
        yield from statement.names
    changes = changes_of(module)
    yield from changes.rebound
    if any(_is_filled(module, call) for call in module.spelled_calls(frozenset({"globals"}))):
        yield from sorted(module.names.bound_in())
    for name, roots in changes.roots.items():
        for each in roots if name != "self" and name not in module.names.imports else ():
            if module.scope_of(name, each) is module.tree and module.function(each) is not None:
                yield name
                break
    for space in (*module.attributes("__dict__"), *module.spelled_calls(frozenset({"vars"}))):
        of = root(space.args[0] if isinstance(space, ast.Call) and space.args else space)
        if of is not None and module.scope_of(of.id, of) is module.tree and module.function(of) is not None:
            yield of.id
    if module.nodes(ast.ClassDef):
        yield from _changing_objects(module)
        yield from _changing_classes(module)


def _changing_objects(module: Module) -> Iterator[str]:
    """Objects of classes of the file, made when it is imported."""
    for statement in module.tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or not isinstance(statement.value, ast.Call):
            continue
        owner = class_of(module, statement.value.func)
        if owner is not None and changes_itself(module, owner):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _changing_classes(module: Module) -> Iterator[str]:
    """Classes of the file that class methods change."""
    for owner in module.nodes(ast.ClassDef) if b"classmethod" in module.source.text else ():
        methods = (each for each in owner.body if isinstance(each, ast.FunctionDef) and _is_of_class(each))
        if any(is_changing(module, method) for method in methods):
            yield owner.name


def _is_of_class(method: ast.FunctionDef) -> bool:
    return any(last_name(each) == "classmethod" for each in method.decorator_list)


def _is_filled(module: Module, names: ast.Call) -> bool:
    """Whether `globals()` gets names that are not in the text."""
    match module.parent(names):
        case ast.Subscript(slice=key, ctx=ast.Store() | ast.Del()):
            return not isinstance(key, ast.Constant)
        case ast.Attribute(attr=attr):
            return attr in MUTATORS
    return False
