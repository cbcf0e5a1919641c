"""Who can reach a list, a dictionary or a NumPy array, and so may change it in place under another name."""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.solver import MAY, Solver
from jaxfix.library.facets import Effect, Member, Package, Result
from jaxfix.library.table import short_names, where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.calls import arguments_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of
from jaxfix.semantic.project.summary_types import ANY_NAME
from jaxfix.semantic.receivers import PASSES_ITEMS
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk

_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_CONTAINERS = short_names(Result.MUTABLE, "builtins")
_READERS = short_names(Effect.READS, "builtins")
_READING = where(Package.READS)
"""Packages whose functions change no list, dictionary or array that they are given."""
_METHODS = short_names(Effect.READS, "jax.Array", "builtins.dict", "builtins.list")
_STATIC = short_names(Member.STATIC)
VIEWS = short_names(Result.VIEW)


def is_fillable(module: Module, value: ast.AST | None) -> bool:
    """Whether `value` makes something that can be changed in place."""
    if isinstance(value, ast.Tuple):
        return any(is_fillable(module, part) for part in value.elts)
    if not isinstance(value, ast.Call):
        return isinstance(value, _DISPLAYS)
    is_builtin = isinstance(value.func, ast.Name) and module.scope_of(value.func.id, value) is None
    if is_builtin and isinstance(value.func, ast.Name):
        return value.func.id in _CONTAINERS
    return (module.qualname(value.func) or "").startswith(("numpy.", "collections."))


def why_aliased(module: Module, name: str, scope: ast.AST) -> Reason | None:
    """Why something else may change in place what `name` stands for.

    Returns:
      None if all that it does is to read.
    """
    bound = (binding.node for binding in module.bindings(name, scope))
    nests = any(holds_fillable(module, module.value_of(node)) for node in bound if isinstance(node, ast.Name))
    for use in module.reads(name, scope):
        if not only_reads(module, use, nests=nests):
            return Reason(Code.ESCAPES, f"line {use.lineno} passes `{name}` to code that may change it", use.lineno)
    return None


def holds_fillable(module: Module, value: ast.expr | None) -> bool:
    """Whether `value` makes something that holds what can be changed in place."""
    if isinstance(value, ast.Call):
        return (module.qualname(value.func) or "").startswith("numpy.")  # rows of an array
    parts = walk(value) if isinstance(value, (*_DISPLAYS, ast.Tuple)) else ()
    return any(part is not value and is_fillable(module, part) for part in parts)


def only_reads(module: Module, use: ast.expr, *, nests: bool = False, parts: bool = False) -> bool:
    """Whether the code around an expression that reads a variable keeps nothing of it, and changes nothing of it.

    Args:
      nests: what it holds can be changed in place too.
      parts: what becomes of its attributes is judged elsewhere, by their names.
    """
    parent = module.parent(use)
    match parent:
        case ast.IfExp(test=test):
            return test is use or only_reads(module, parent, nests=nests, parts=parts)
        case ast.Attribute(ctx=ast.Load(), attr=attr):
            call = module.parent(parent)
            if isinstance(call, ast.Call) and call.func is parent:
                return attr in _METHODS
            return attr in _STATIC or (only_reads(module, parent, nests=nests, parts=parts) if attr in VIEWS else parts)
        case ast.Subscript(ctx=ast.Store() | ast.Del(), value=value):
            return value is not use
        case ast.Subscript(slice=index, value=value) if value is use and (nests or _is_view(index)):
            return only_reads(module, parent, nests=nests, parts=parts)
        case ast.comprehension(iter=iterable, target=items) if nests and iterable is use:
            return _items_are_read(module, items, parts=parts)
        case ast.Subscript() | ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.FormattedValue() | ast.comprehension():
            return True
        case ast.BoolOp():
            return only_reads(module, parent, nests=nests, parts=parts)
        case ast.Starred():
            return not nests
        case ast.If() | ast.While() | ast.Assert() | ast.Expr():
            return True
        case ast.Assign(targets=[ast.Name() as alias]):
            return _is_read_under(module, alias, nests=nests, parts=parts)
        case ast.AugAssign(value=value):
            return value is use
        case ast.For(iter=iterable, target=items):
            return iterable is use and (not nests or _items_are_read(module, items, parts=parts))
        case ast.keyword() if isinstance(call := module.parent(parent), ast.Call):
            return _call_only_reads(module, call, use)
        case ast.Call(func=func) if func is not use:
            passes_items = nests and isinstance(func, ast.Name) and func.id in PASSES_ITEMS
            return _call_only_reads(module, parent, use) and (
                not passes_items or only_reads(module, parent, nests=True, parts=parts)
            )
    return False


def _items_are_read(module: Module, target: ast.expr, *, parts: bool) -> bool:
    """Whether what a loop binds to `target`, in each iteration, is only read."""
    names = [node for node in walk(target) if isinstance(node, ast.Name)]
    reads = (read for name in names for read in module.reads(name.id, module.scope_of(name.id, name)))
    return len(names) > 0 and all(only_reads(module, read, parts=parts) for read in reads)


def _is_read_under(module: Module, alias: ast.Name, *, nests: bool, parts: bool) -> bool:
    """Whether what a variable of a function is bound to is only read under that name."""
    scope = module.scope_of(alias.id, alias)
    roots = (root for root in changes_of(module).roots.get(alias.id, ()) if module.scope_of(alias.id, root) is scope)
    if not isinstance(scope, FUNCTIONS) or any(roots):
        return False
    reads = module.reads(alias.id, scope)
    return not any(module.get(_does_more)((read, nests, parts)) for read in reads)


def _does_more(module: Module) -> Solver[tuple[ast.expr, bool, bool], bool]:
    """Whether the code around a use does more than `only_reads`, for variables that are bound to one another."""

    def does_more(use: tuple[ast.expr, bool, bool]) -> bool:
        read, nests, parts = use
        return not only_reads(module, read, nests=nests, parts=parts)

    return Solver(does_more, MAY)


def _is_view(index: ast.expr) -> bool:
    """Whether what is picked shares its memory with an array that it is picked from."""
    new_axes = (part.value in (None, ...) for part in walk(index) if isinstance(part, ast.Constant))
    return any(new_axes) or any(isinstance(part, ast.Slice) for part in walk(index))


def _call_only_reads(module: Module, call: ast.Call, use: ast.expr) -> bool:
    function = module.definition(call.func)
    if function is None:
        if isinstance(call.func, ast.Name) and module.scope_of(call.func.id, call) is None and call.func.id in _READERS:
            return True
        return (module.qualname(call.func) or "").partition(".")[0] in _READING
    given = arguments_of(function, call) or {}
    taken = [parameter for parameter, argument in given.items() if argument is use]
    return bool(taken) and not any(module.get(_escapes)((function, parameter)) for parameter in taken)


def _escapes(module: Module) -> Solver[tuple[Function, str], bool]:
    """Whether a function may change, or keep, what it is passed for a parameter."""

    def escapes(passed: tuple[Function, str]) -> bool:
        function, parameter = passed
        roots = changes_of(module).roots.get(parameter, ())
        is_changed = any(module.scope_of(parameter, root) is function for root in roots)
        return is_changed or not all(only_reads(module, read) for read in module.reads(parameter, function))

    return Solver(escapes, MAY)


def taken_by_name(module: Module) -> frozenset[str]:
    """The attributes that are read by their names, as in `getattr(model, "layers")`, and may be filled.

    Returns:
      `ANY_NAME` among them where a name is not in the text.
    """
    return module.get(_taken_by_name)


def _taken_by_name(module: Module) -> frozenset[str]:
    calls = module.spelled_calls(frozenset({"vars", "getattr", "attrgetter"}))
    return frozenset(name for call in calls for name in _named(module, call))


def _named(module: Module, call: ast.Call) -> Iterator[str]:
    around = module.parent(call)
    match call, around:
        case ast.Call(func=ast.Name(id="getattr"), args=[holder, key, *_]), _:
            is_called = isinstance(around, ast.Call) and around.func is call
            if is_called or (_text(key) == ANY_NAME and _is_imported_whole(module, holder)):
                return  # a method, or a function of a module
            if not only_reads(module, call, nests=True, parts=True):
                yield _text(key)
        case ast.Call(func=ast.Name(id="vars")), ast.Subscript(slice=key, ctx=ast.Load()) as item:
            if not only_reads(module, item, nests=True, parts=True):
                yield _text(key)
        case ast.Call(func=ast.Name(id="attrgetter") | ast.Attribute(attr="attrgetter"), args=keys), _:
            yield from (part for key in keys for part in _text(key).split("."))


def _text(key: ast.expr) -> str:
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ANY_NAME


def _is_imported_whole(module: Module, expr: ast.expr) -> bool:
    bound = module.bindings(expr.id, module.scope_of(expr.id, expr)) if isinstance(expr, ast.Name) else ()
    return len(bound) > 0 and all(isinstance(each.node, ast.Import) for each in bound)
