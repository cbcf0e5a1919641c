"""The side effects of a function, and what ties it to its place."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.effects.aliases import is_fillable
from jaxfix.effects.invariance import is_impure
from jaxfix.library.facets import Effect, Setting
from jaxfix.library.table import short_names, where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.classes import class_around, family, methods
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import MUTATORS, is_being_made, is_own_object, root
from jaxfix.syntax.nodes import Function, walk
from jaxfix.syntax.signatures import parameters_of

_KEYED_SETTINGS = where(Setting.KEYED)
_WORLD = where(Effect.WORLD)
_SEES_NAMES = short_names(Effect.SEES_NAMES)


def ties(module: Module, function: Function) -> Iterator[Reason]:
    """What cannot be passed to control flow, or would mean another thing elsewhere."""
    in_class = module.enclosing(function, ast.ClassDef) is not None
    own = None if isinstance(function, ast.Lambda) else function.name
    for node in (*walk(function.args), *body_of(module, function)):
        match node:
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                yield Reason(Code.COROUTINE, "it is a generator or a coroutine")
            case ast.Name(id=name) | ast.Attribute(attr=name) if in_class and _is_mangled(name):
                yield Reason(Code.SEES_SCOPE, f"`{name}` means something else outside of its class")
            case ast.arg(arg=name) | ast.keyword(arg=str(name)) if in_class and _is_mangled(name):
                yield Reason(Code.SEES_SCOPE, f"`{name}` means something else outside of its class")
            case ast.Attribute(value=ast.Name(id=name)) if name == own and module.definition(node.value) is function:
                yield Reason(Code.SEES_SCOPE, f"it reads `{module.text(node)}` of itself")
            case ast.Name(id="__class__"):
                yield Reason(Code.SEES_SCOPE, "it needs its class")
            case ast.Call(func=ast.Name(id="super")) if module.scope_of("super", node) is None:
                yield Reason(Code.SEES_SCOPE, "it calls `super`, which depends on where it is called")


def effects(module: Module, function: Function, *, own: bool = False) -> Iterator[Reason]:
    """The side effects of each trace, and its external inputs.

    Args:
      own: what methods bind of their own object is none.

    Returns:
      A reason for each; nothing for a function without effects.
    """
    for node in body_of(module, function):
        match node:
            case ast.Expr(value=ast.Call(func=func)) if (own and is_own_method(module, func)) or fills_own(
                module, func, function
            ):
                continue
            case ast.Attribute(value=owner, ctx=ast.Store()) if own and is_own_object(module, owner):
                continue
            case ast.Expr(value=ast.Call(func=func)) if not _is_jax(module.qualname(func)):
                yield Reason(
                    Code.SIDE_EFFECT, f"it calls `{module.text(func)}` for its side effect, at trace time only"
                )
            case ast.Call(func=ast.Name(id=name)) if name in _SEES_NAMES and module.scope_of(name, node) is None:
                yield Reason(Code.SEES_SCOPE, f"it calls `{name}`, which depends on where it is called")
            case ast.Call(func=func) if is_impure(module.qualname(func)) or module.qualname(func) in _WORLD:
                yield Reason(
                    Code.IMPURE, f"it calls `{module.text(func)}`, which may return a different value at every trace"
                )
            case ast.Attribute(ctx=ast.Load()) | ast.Name(ctx=ast.Load()) if _is_handed_on(module, node):
                yield Reason(
                    Code.IMPURE, f"it uses `{module.text(node)}`, which may return a different value at every trace"
                )
            case ast.Attribute(value=owner, ctx=ast.Store() | ast.Del()) if is_being_made(module, owner):
                continue
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                if not _is_local(module, node, function):
                    yield Reason(Code.SIDE_EFFECT, f"it changes `{module.text(node)}`, at trace time only")


def is_own_method(module: Module, func: ast.expr) -> bool:
    """Whether `func` is a method of the object of the method that it is in, which was read."""
    if not isinstance(func, ast.Attribute) or not is_own_object(module, func.value):
        return False
    owner = class_around(module, func)
    return owner is not None and bool(methods(family(module, owner), func.attr))


def fills_own(module: Module, func: ast.expr, function: Function) -> bool:
    """Whether `func` is a method that changes a list, a dictionary or a set which `function` makes at each call."""
    match func:
        case ast.Attribute(value=ast.Name(id=name) as owner, attr=attr) if attr in MUTATORS:
            bound = [binding.node for binding in module.bindings(name, function)]
            is_here = bool(bound) and module.scope_of(name, owner) is function
            return is_here and all(isinstance(node, ast.Name) and _is_new_container(module, node) for node in bound)
    return False


def _is_new_container(module: Module, target: ast.Name) -> bool:
    value = module.value_of(target)
    is_array = isinstance(value, ast.Call) and (module.qualname(value.func) or "").startswith("numpy.")
    return is_fillable(module, value) and not isinstance(value, ast.Tuple) and not is_array


def _is_handed_on(module: Module, node: ast.expr) -> bool:
    """Whether `node` is a function that asks the world, used as a value, or what the world says."""
    parent = module.parent(node)
    is_whole = not isinstance(parent, ast.Attribute) and not (isinstance(parent, ast.Call) and parent.func is node)
    qualname = module.qualname(node) if is_whole else None
    return (is_impure(qualname) or qualname in _WORLD) and qualname not in _KEYED_SETTINGS


def body_of(module: Module, function: Function) -> Sequence[ast.AST]:
    """The nodes that run when `function` is called, with those of the functions inside it."""
    known = module.get(_bodies)
    if function not in known:
        parts = [function.body] if isinstance(function, ast.Lambda) else function.body
        known[function] = [node for part in parts for node in walk(part)]
    return known[function]


def _bodies(module: Module) -> dict[Function, list[ast.AST]]:
    """The bodies read so far, by function."""
    return {}


def _is_local(module: Module, node: ast.AST, function: Function) -> bool:
    """Whether `node` is a part of an object that `function` made, as far as its assignments tell."""
    name = root(node)
    return name is not None and _is_made_in(module, name.id, function)


def _is_made_in(module: Module, name: str, function: Function) -> bool:
    if name not in module.names.bound_in(function) or _is_parameter(function, name):
        return False
    targets = (b.node for b in module.bindings(name, function))
    aliased = [root(module.value_of(target)) for target in targets if isinstance(target, ast.Name)]
    return all(a is None or a.id in module.names.bound_in(function) for a in aliased)


def _is_parameter(function: Function, name: str) -> bool:
    arguments = function.args
    return any(a.arg == name for a in parameters_of(arguments))


def _is_mangled(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _is_jax(qualname: str | None) -> bool:
    return qualname is not None and qualname.split(".")[0] == "jax"
