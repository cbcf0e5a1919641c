"""The code around an old name: whether it asks which version it runs with, takes the error, or gives the name back."""

import ast
import re

from jaxfix.api import FUNCTIONS, Module
from jaxfix.api.analysis import callers, is_perhaps_rebound, is_perhaps_stored, replaced_names

_ALL = ("Exception", "BaseException")
_ERRORS = re.compile("AttributeError|ImportError|ModuleNotFoundError|TypeError")
_TAKES = re.compile("suppress|raises", re.IGNORECASE)
_ASKS = re.compile(
    r"\bhasattr\(|version|ImportError|ModuleNotFoundError|AttributeError|jax\w*_\d|_[gl][et]_\d", re.IGNORECASE
)
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
    """Whether a test asks for the version, by a variable that it was put into too."""
    names = (node for node in ast.walk(test) if isinstance(node, ast.Name))
    texts = (module.only_value(name) for name in names)
    return any(_ASKS.search(module.text(part)) for part in (test, *texts) if part is not None)


def _before(outer: ast.AST, inner: ast.AST) -> list[ast.stmt]:
    """The statements of the block before `inner`, within a function."""
    body = getattr(outer, "body", None) if isinstance(outer, FUNCTIONS) else None
    return body[: body.index(inner)] if isinstance(body, list) and inner in body else []


def _leaves_early(module: Module, statement: ast.stmt) -> bool:
    match statement:
        case ast.If(test=test, body=[*_, last]) if isinstance(last, _LEAVES):
            return _asks(module, test)
        case ast.Try(body=[*_, last], handlers=handlers) if isinstance(last, _LEAVES):
            return any(handler.type is not None and _ASKS.search(module.text(handler.type)) for handler in handlers)
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
