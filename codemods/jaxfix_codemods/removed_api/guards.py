"""The code around an old name: whether it asks which version it runs with, takes the error, or gives the name back."""

import ast
import re
from collections.abc import Sequence

from jaxfix.api import FUNCTIONS, Module, returned
from jaxfix.api.analysis import (
    EXISTS,
    Solver,
    callers,
    class_around,
    class_of,
    default_of,
    is_perhaps_rebound,
    is_perhaps_stored,
    own_parameter,
    replaced_names,
)
from jaxfix.api.library import CHANGED_WORDS, Member, members_of, short_names

_ALL = ("Exception", "BaseException")
_ERRORS = re.compile("AttributeError|ImportError|ModuleNotFoundError|TypeError")
_TAKES = re.compile("suppress|raises", re.IGNORECASE)
_ASKS = re.compile(r"version|ImportError|ModuleNotFoundError|AttributeError|jax\w*_\d|_[gl][et]_\d", re.IGNORECASE)
_PACKAGES = re.compile("jax", re.IGNORECASE)
_OF_JAX = re.compile(r"jax\w*\.(_\w+|version)|\bhasattr\(jax")
_OF_ARRAYS = members_of("jax.Array") - short_names(Member.STATIC)
_LEAVES = (ast.Return, ast.Raise, ast.Continue)


def asks_for_version(module: Module, node: ast.AST) -> bool:
    """Whether the code around asks what it runs with: by a test, a handler, or one that leaves before."""
    inner = node
    for outer in module.ancestors(node):
        asked = (getattr(outer, "test", None), *(handler.type for handler in getattr(outer, "handlers", ())))
        if any(_asks(module, part) for part in asked if part is not None):
            return True
        if any(_leaves_early(module, earlier) for earlier in _before(outer, inner)):
            return True
        if any(_takes_by_name(module, item) for item in getattr(outer, "items", ())):
            return True
        inner = outer
    return False


def _takes_by_name(module: Module, item: ast.withitem) -> bool:
    """Whether a context expects an error that a name which is gone raises: `pytest.raises(AttributeError)`."""
    text = module.text(item.context_expr)
    return _TAKES.search(text) is not None and _ERRORS.search(text) is not None


def _asks(module: Module, test: ast.expr) -> bool:
    """Whether a test asks for the version, by variables that it was put into, and functions that it calls, too."""
    parts = list(ast.walk(test))
    for part in parts:
        if _tells(module, part):
            return True
        followed = _followed(module, part)
        parts += [each for whole in followed for each in ast.walk(whole) if each not in parts]
    return False


def _followed(module: Module, part: ast.AST) -> Sequence[ast.expr]:
    """Where what a part of a test evaluates to comes from."""
    match part:
        case ast.Name():
            bound = [each.node for each in module.bindings(part.id, module.scope_of(part.id, part))]
            return [value for node in bound if (value := _value(module, node)) is not None]
        case ast.Call(func=func) if (function := module.definition(func)) is not None:
            return returned(function)
        case ast.Attribute(attr=attr):
            owner = class_around(module, part)
            made = [each for each in owner.body if isinstance(each, ast.FunctionDef)] if owner is not None else []
            results = [result for each in made if each.name == attr for result in returned(each)]
            stored = (node for node in module.attributes(attr) if isinstance(node.ctx, ast.Store))
            return [*results, *(value for node in stored if (value := module.value_of(node)) is not None)]
    return ()


def _value(module: Module, node: ast.AST) -> ast.expr | None:
    """What a name is bound to, or by default."""
    match node:
        case ast.Name():
            return module.value_of(node)
        case ast.arg(arg=name):
            function = module.parent(module.parent(node) or node)
            return default_of(function, name) if isinstance(function, FUNCTIONS) else None
    return None


def _tells(module: Module, part: ast.AST) -> bool:
    """Whether a part of a test tells the version."""
    match part:
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, asked, *_]):
            return _tells_version(module, owner, asked)
        case ast.Call(args=args, keywords=keywords):
            return any(_is_jax(module, arg) for arg in (*args, *(each.value for each in keywords)))
        case ast.Attribute(value=owner, attr="__dict__"):
            return _is_jax(module, owner)
        case ast.Name() if (made_by := class_of(module, part)) is not None:
            return _holds_version(module, made_by)
        case ast.Name(id=name):
            if module.only_value(part) is None and _ASKS.search(name) is not None:
                return True
            scope = module.scope_of(name, part)
            return scope is not None and module.get(_bound)((name, scope))
        case ast.Attribute(attr=name):
            return _ASKS.search(name) is not None
    return False


def _is_jax(module: Module, expr: ast.expr) -> bool:
    """Whether it is a module of jax: what is passed one, can ask which names it has."""
    name = module.qualname(expr) or ""
    bound = module.only_binding(expr) if isinstance(expr, ast.Name) else None
    is_imported = bound is not None and isinstance(bound.node, ast.Import)
    return name == "jax" or (is_imported and name.startswith("jax."))


def _holds_version(module: Module, owner: ast.ClassDef) -> bool:
    """Whether objects of a class may hold the version of a package: a class of versions of files holds none."""
    body = "\n".join(map(module.text, owner.body))
    if _ASKS.search(owner.name) is None:
        return _OF_JAX.search(body) is not None
    return (
        owner.name.endswith("Error")
        or _PACKAGES.search(owner.name + body) is not None
        or _ASKS.search(body) is not None
    )


def _tells_version(module: Module, owner: ast.expr, asked: ast.expr) -> bool:
    """Whether an object that has that name tells the version: one given it by the file does not."""
    if module.qualname(owner) is not None or not isinstance(asked, ast.Constant) or _is_passed(module, owner):
        return True
    return asked.value in CHANGED_WORDS or asked.value in _OF_ARRAYS or module.get(_given)(str(asked.value))


def _is_passed(module: Module, owner: ast.expr) -> bool:
    """Whether it is an argument, or a part of one, other than a method's own object."""
    while isinstance(owner, ast.Attribute | ast.Subscript):
        owner = owner.value
    bound = module.only_binding(owner) if isinstance(owner, ast.Name) else None
    function = module.function(bound.node) if bound is not None and isinstance(bound.node, ast.arg) else None
    if function is None or bound is None or not isinstance(bound.node, ast.arg):
        return False
    return module.method_of(function) is None or own_parameter(function) != bound.node.arg


def _given(module: Module) -> Solver[str, bool]:
    """Whether the attribute of an object is stored in another file, or in code that asks for the version."""

    def is_given(name: str) -> bool:
        stored = [node for node in module.attributes(name) if isinstance(node.ctx, ast.Store)]
        return not stored or any(asks_for_version(module, node) for node in stored)

    return Solver(is_given, EXISTS)


def _bound(module: Module) -> Solver[tuple[str, ast.AST], bool]:
    """Whether code that asks for the version binds a variable to a constant, and other code to another."""

    def is_bound(variable: tuple[str, ast.AST]) -> bool:
        bound = [each.node for each in module.bindings(*variable)]
        flags = (node for node in bound if isinstance(_value(module, node), ast.Constant))
        return len(bound) > 1 and any(asks_for_version(module, node) for node in flags)

    return Solver(is_bound, EXISTS)


def _before(outer: ast.AST, inner: ast.AST) -> list[ast.stmt]:
    """The statements of the block before `inner`, within a function."""
    body = getattr(outer, "body", None) if isinstance(outer, FUNCTIONS) else None
    return body[: body.index(inner)] if isinstance(body, list) and inner in body else []


def _leaves_early(module: Module, statement: ast.stmt) -> bool:
    match statement:
        case ast.If(test=test, body=[*_, last]) if isinstance(last, _LEAVES):
            return _asks(module, test)
        case ast.Try(body=[*_, last], handlers=handlers) if isinstance(last, _LEAVES):
            return any(handler.type is not None and _asks(module, handler.type) for handler in handlers)
    return False


def is_caught(module: Module, node: ast.AST) -> bool:
    """Whether a handler of this file takes the error that is cured: with it, other code runs."""
    reached = [node]
    for each in reached:
        if _is_caught_there(module, each):
            return True
        function = module.function(each)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            found = callers(module, function)
            reached += [use for use in (*found.calls, *found.others) if use not in reached]
    return False


def _is_caught_there(module: Module, node: ast.AST) -> bool:
    inner = node
    for outer in module.ancestors(node):
        match outer:
            case ast.Try(body=body, handlers=handlers) | ast.TryStar(body=body, handlers=handlers) if inner in body:
                if any(_takes(module, handler) for handler in handlers):
                    return True
            case ast.With(items=items) if any(_TAKES.search(module.text(item.context_expr)) for item in items):
                return True
        inner = outer
    return False


def _takes(module: Module, handler: ast.ExceptHandler) -> bool:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or _is_all(kind) or _ERRORS.search(module.text(kind)) is not None for kind in types)


def _is_all(kind: ast.expr) -> bool:
    return isinstance(kind, ast.Name) and kind.id in _ALL


def is_given_here(module: Module, name: str) -> bool:
    """Whether the file itself puts something in the place of a name of a library, as for older versions."""
    last = name.rpartition(".")[2]
    stored = (node for node in module.attributes(last) if isinstance(node.ctx, ast.Store))
    return any(module.qualname(node) == name for node in stored) or any(
        _sets(module, call, name) for call in module.names.spelled_calls({"setattr"})
    )


def _sets(module: Module, call: ast.Call, name: str) -> bool:
    match call.args:
        case [owner, ast.Constant(value=str(last)), _, *_]:
            return f"{module.qualname(owner)}.{last}" == name
        case [ast.Constant(value=str(whole)), _, *_]:
            return whole == name
    return False


def is_given_back(module: Module, name: str) -> bool:
    """Whether code of the project may have put something of its own in the place of a name of a library."""
    if is_perhaps_stored(module, name.rpartition(".")[2]) or is_perhaps_rebound(module, name):
        return True
    return any(replaced_names(module, module.references(name)))
