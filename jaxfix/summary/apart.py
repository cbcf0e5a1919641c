"""What a file does that no name tells: code of files that runs apart from their names, rules, calls of the host."""

import ast
from collections.abc import Iterator

from jaxfix.effects.taken_errors import errors_taken
from jaxfix.library.facets import Effect, Transform
from jaxfix.library.table import short_names, where
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.summary_types import (
    ASKS_PROCESS,
    CALLS_BACK,
    MAKES_RULES,
    RUNS_APART,
    RUNS_FILES,
    TAKES_ERRORS,
)
from jaxfix.syntax.nodes import FORMAT_STRINGS, walk

_RUNNERS = short_names(Effect.RUNS_APART)
_OF_TEXTS = _RUNNERS & short_names(Effect.BINDS_NAMES)
_OF_STATEMENTS = short_names(Effect.RUNS_TEXT)
_OF_FILES = where(Effect.RUNS_FILE)
_SOURCES = ("getsource", "getsourcelines", "unparse")
"""What gives a part of a file, which is then run without the rest of it."""
_RULES = short_names(Transform.DERIVATIVE_RULE)
_CALLING_BACK = where(Effect.CALLS_BACK)
_ASKING_PROCESS = where(Effect.ASKS_PROCESS)


def done_apart(module: Module) -> Iterator[str]:
    """What of this the file does."""
    if runs_apart(module):
        yield RUNS_APART
    if _runs_files(module):
        yield RUNS_FILES
    if any(map(module.attributes, _RULES)) or module.references("jax.custom_gradient"):
        yield MAKES_RULES
    if module.names.may_name(_CALLING_BACK) and any(map(module.references, _CALLING_BACK)):
        yield CALLS_BACK
    if module.names.may_name(_ASKING_PROCESS) and any(map(module.references, _ASKING_PROCESS)):
        yield ASKS_PROCESS
    yield from (f"{TAKES_ERRORS}{name}" for name in module.get(errors_taken))


def runs_apart(module: Module) -> bool:
    """Whether it runs the text of a file, or the code of a function, with other globals than that of its module."""
    return any(_is_apart(module, call) for call in module.spelled_calls(_RUNNERS))


def _runs_files(module: Module) -> bool:
    if module.names.may_name(_OF_FILES) and any(map(module.references, _OF_FILES)):
        return True
    calls = (call for call in module.spelled_calls(_OF_STATEMENTS) if _is_builtin(module, call) and call.args)
    return any(not _is_own_text(_followed(module, call.args[0])) for call in calls)


def _is_apart(module: Module, call: ast.Call) -> bool:
    last = module.text(call.func).rpartition(".")[2]
    if not call.args:
        return False
    if last not in _OF_TEXTS:
        return not _has_its_globals(module, call)
    if not _is_builtin(module, call):
        return False  # a method of this name
    text = _followed(module, call.args[0])
    is_compiled = isinstance(text, ast.Call) and module.text(text.func) == "compile" and bool(text.args)
    if last not in _OF_STATEMENTS and not is_compiled:
        return False  # an expression, which defines nothing
    if is_compiled and isinstance(text, ast.Call):
        text = _followed(module, text.args[0])
    if _is_own_text(text):
        return False
    given = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    match given:
        case []:
            return module.function(call) is not None or module.enclosing(call, ast.ClassDef) is not None
        case [_]:
            return any(node.attr in _SOURCES for node in walk(text) if isinstance(node, ast.Attribute))
        case [globals_, locals_, *_]:
            return module.text(globals_) != module.text(locals_)
    return False


def _is_builtin(module: Module, call: ast.Call) -> bool:
    is_plain = isinstance(call.func, ast.Name) and module.scope_of(call.func.id, call) is None
    return is_plain or (module.qualname(call.func) or "").startswith("builtins.")


def _has_its_globals(module: Module, call: ast.Call) -> bool:
    """Whether it is `FunctionType(f.__code__, f.__globals__)`, a copy of `f`."""
    match call.args:
        case [ast.Attribute(value=function), ast.Attribute(value=other, attr="__globals__"), *_]:
            return module.text(function) == module.text(other)
    return False


def _followed(module: Module, expr: ast.expr) -> ast.expr:
    """The value of a variable with a single binding."""
    value = module.only_value(expr) if isinstance(expr, ast.Name) else None
    return expr if value is None else value


def _is_own_text(expr: ast.expr) -> bool:
    match expr:
        case ast.Constant() | ast.BinOp(op=ast.Mod(), left=ast.Constant()):
            return True
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _is_own_text(left) and _is_own_text(right)
        case ast.Call(func=ast.Attribute(value=value, attr="format")):
            return _is_own_text(value)
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join"), args=[ast.Name() | ast.List()]):
            return True  # lines that were put together
        case ast.Call(func=ast.Attribute(attr="dedent") | ast.Name(id="dedent"), args=[text]):
            return _is_own_text(text)
    return isinstance(expr, FORMAT_STRINGS)
