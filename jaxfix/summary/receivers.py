"""Whether an object whose method a file calls may be of a class of another file."""

import ast
from collections.abc import Container, Sequence

from jaxfix.dataflow.types import Values
from jaxfix.effects.object_sources import Sources
from jaxfix.semantic.classes import class_around, class_of, family, methods, own_class, own_parameter
from jaxfix.semantic.module import Module

_EMPTY = (ast.Pass, ast.Raise)


def may_be_of_others(module: Module, method: ast.Attribute, packages: Container[str]) -> bool:
    """Whether `agent.update` may be a method of a class in another file of the project.

    Args:
      packages: the first parts of the names of the files of the project: what else is imported is not theirs.
    """
    receiver = method.value
    if module.qualname(receiver) is not None:
        return False
    owner = class_around(module, receiver)
    if owner is not None and isinstance(receiver, ast.Name) and _is_own(module, receiver):
        return all(map(_is_abstract, methods(family(module, owner), method.attr)))
    sources = _sources(module, receiver)
    return not sources or not all(_is_strange(module, source, packages) for source in sources)


def _is_own(module: Module, receiver: ast.Name) -> bool:
    """Whether it is the object of the method around."""
    return own_parameter(module.functions_around(receiver)[-1]) == receiver.id


def _is_abstract(method: ast.FunctionDef) -> bool:
    """Whether it does nothing: a class below it says what it does."""
    body = [each for each in method.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    return all(isinstance(each, _EMPTY) for each in body)


def _sources(module: Module, receiver: ast.expr) -> Sequence[ast.AST]:
    values = module.get(Values)
    if isinstance(receiver, ast.Attribute):
        owner = own_class(module, receiver.value)
        return () if owner is None else Sources(module, values).held(receiver.attr, family(module, owner))
    return values.origins.of(receiver)


def _is_strange(module: Module, source: ast.AST, packages: Container[str]) -> bool:
    """Whether it is surely not an object of another file of the project."""
    match source:
        case ast.Call(func=func):
            name = module.qualname(func)
            of_library = name is not None and name.partition(".")[0] not in packages
            return of_library or class_of(module, func) is not None or _is_builtin(module, func)
        case ast.Constant() | ast.Dict() | ast.List() | ast.Set() | ast.Tuple() | ast.JoinedStr():
            return True
        case ast.DictComp() | ast.ListComp() | ast.SetComp():
            return True
    return False


def _is_builtin(module: Module, func: ast.expr) -> bool:
    return isinstance(func, ast.Name) and module.scope_of(func.id, func) is None
