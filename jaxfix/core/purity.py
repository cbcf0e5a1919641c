"""Whether a function says the same at every trace: what it reads that can change, what it does besides returning."""

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from jaxfix.core.jax_names import IMPURE_PREFIXES, PURE_BUILTINS, PURE_MODULES
from jaxfix.core.scopes import FUNCTIONS, Binding, Function

if TYPE_CHECKING:
    from jaxfix.core.model import Module

MUTATORS = frozenset(
    {
        *("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update", "setdefault"),
        *("popitem", "add", "discard", "write", "fill", "put", "itemset", "resize", "seed", "send"),
    }
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SEES_NAMES = frozenset({"locals", "globals", "vars", "eval", "exec", "super", "dir"})
_ARRAY_MODULES = ("jax", "numpy")


class Constancy(Enum):
    """What a name bound outside of a function stays, from one call to the next."""

    CONSTANT = "constant"
    UNSURE = "unsure"
    """Nothing in this module changes it, but another one could."""
    CHANGES = "changes"


@dataclass(slots=True)
class Purity:
    """Why a function may not be traced once for many calls; `doubts` where only another module could spoil it."""

    reason: str | None = None
    doubts: list[str] = field(default_factory=list)


def purity(module: "Module", function: Function) -> Purity:
    """What keeps `function` from being traced once for many calls; names free in it are not judged here."""
    found = Purity()
    _judge(module, function, found, set())
    return found


def _judge(module: "Module", function: Function, found: Purity, seen: set[Function]) -> None:
    if function in seen or found.reason is not None:
        return
    seen.add(function)
    captures = module.captures(function)
    if captures is None:
        found.reason = "it shares its line with another function"
        return
    if captures.rebinds:
        found.reason = f"it rebinds `{min(captures.rebinds)}` outside of itself"
        return
    found.reason = next(_effects(module, function), None)
    for name in sorted(captures.globals):
        if found.reason is None:
            _judge_global(module, name, function, found, seen)


def _effects(module: "Module", function: Function) -> Iterator[str]:
    """What the body does besides computing its result, as reasons."""
    in_class = module.enclosing(function, ast.ClassDef) is not None
    for node in _body(function):
        match node:
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                yield "it is a generator or a coroutine"
            case ast.Name(id=name) | ast.Attribute(attr=name) if in_class and _is_mangled(name):
                yield f"`{name}` means another name outside of its class"
            case ast.Name(id="__class__"):
                yield "it needs the class around it"
            case ast.Expr(value=ast.Call(func=func)) if not _is_jax(module.qualname(func)):
                yield f"it calls `{module.text(func)}` for its effect, at every trace"
            case ast.Call(func=ast.Name(id=name)) if name in _SEES_NAMES and module.scope_of(name, node) is None:
                yield f"it calls `{name}`, which sees where it stands"
            case ast.Call(func=func) if _is_impure(module.qualname(func)):
                yield f"it calls `{module.text(func)}`, which answers differently at every trace"
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                if not _is_local(module, node, function):
                    yield f"it changes `{module.text(node)}`, at every trace"


def _judge_global(module: "Module", name: str, function: Function, found: Purity, seen: set[Function]) -> None:
    if not module.bindings(name):
        if name not in PURE_BUILTINS and not (name.startswith("__") and name.endswith("__")):
            known = hasattr(builtins, name)
            found.reason = f"it calls `{name}`, at every trace" if known else f"`{name}` is not defined in this file"
        return
    match constancy(module, name, module.tree):
        case Constancy.CHANGES:
            found.reason = f"it reads `{name}`, which can change between calls"
        case Constancy.UNSURE:
            found.doubts.append(name)
    for binding in module.bindings(name):
        if isinstance(binding.node, FUNCTIONS):
            _judge(module, binding.node, found, seen)


def constancy(module: "Module", name: str, scope: ast.AST) -> Constancy:
    """What `name`, bound in `scope`, stays from one call of a function inside it to the next."""
    found = module.bindings(name, scope)
    if module.imports.get(name) is not None and scope is module.tree:
        found = found[:1]  # imported more than once, always as the same
    if len(found) != 1 or (module.has_star_import and scope is module.tree) or _is_changed(module, name, scope):
        return Constancy.CHANGES
    (binding,) = found
    if any(isinstance(loop, _LOOPS) for loop in _loops_within(module, binding.node, scope)):
        return Constancy.CHANGES
    return _constancy_of(module, binding, scope)


def _constancy_of(module: "Module", binding: Binding, scope: ast.AST) -> Constancy:
    match binding.node:
        case ast.Import() | ast.ImportFrom():
            qualname = module.imports.get(binding.name, "") if scope is module.tree else ""
            return Constancy.CONSTANT if _is_pure_import(qualname) else Constancy.UNSURE
        case ast.FunctionDef() | ast.ClassDef() | ast.arg():
            return Constancy.CONSTANT
        case ast.Name() as target:
            value = module.value_of(target)
            return Constancy.CHANGES if value is None else _constancy_of_value(module, value)
    return Constancy.CHANGES


def _constancy_of_value(module: "Module", value: ast.expr) -> Constancy:
    match value:
        case ast.Constant() | ast.Lambda():
            return Constancy.CONSTANT
        case ast.Name() | ast.Attribute():
            qualname = module.qualname(value)
            if qualname is not None:
                return Constancy.CONSTANT if _is_pure_import(qualname) else Constancy.UNSURE
            scope = module.scope_of(value.id, value) if isinstance(value, ast.Name) else None
            if isinstance(value, ast.Name) and scope is not None:
                return constancy(module, value.id, scope)
            return Constancy.CHANGES
        case ast.Tuple(elts=parts):
            return _worst(_constancy_of_value(module, part) for part in parts)
        case ast.UnaryOp(operand=operand):
            return _constancy_of_value(module, operand)
        case ast.BinOp(left=left, right=right):
            return _worst(_constancy_of_value(module, part) for part in (left, right))
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return Constancy.UNSURE
        case ast.Call(func=func):
            qualname = module.qualname(func) or ""
            if _is_impure(qualname) or not qualname.startswith(tuple(f"{m}." for m in _ARRAY_MODULES)):
                return Constancy.CHANGES
            return Constancy.CONSTANT if qualname.startswith("jax.") else Constancy.UNSURE
    return Constancy.CHANGES


def _worst(found: Iterator[Constancy]) -> Constancy:
    order = (Constancy.CONSTANT, Constancy.UNSURE, Constancy.CHANGES)
    return max(found, key=order.index, default=Constancy.CONSTANT)


def _is_changed(module: "Module", name: str, scope: ast.AST) -> bool:
    """Whether code of this module stores into the thing that `name` stands for."""
    return any(module.scope_of(name, root) is scope for root in changed_roots(module).get(name, ()))


def changed_roots(module: "Module") -> dict[str, list[ast.Name]]:
    """The names whose object some code of the module stores into or calls a mutating method of."""
    if module.changed is None:
        module.changed = {}
        for node in ast.walk(module.tree):
            root = _root(_changed_object(node))
            if root is not None:
                module.changed.setdefault(root.id, []).append(root)
    return module.changed


def _changed_object(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Attribute(value=value, ctx=ast.Store() | ast.Del()):
            return value
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return value
        case ast.AugAssign(target=ast.Name() as target):
            return target
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in MUTATORS:
            return value
    return None


def _root(node: ast.AST | None) -> ast.Name | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and node.attr == "at":
            return None  # `x.at[i].add(y)` changes nothing
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _is_local(module: "Module", node: ast.AST, function: Function) -> bool:
    root = _root(node)
    return root is not None and root.id in module.names(function) and not _is_parameter(function, root.id)


def _is_parameter(function: Function, name: str) -> bool:
    arguments = function.args
    return any(a.arg == name for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))


def _body(function: Function) -> Iterator[ast.AST]:
    parts = [function.body] if isinstance(function, ast.Lambda) else function.body
    for part in parts:
        yield from ast.walk(part)


def _loops_within(module: "Module", node: ast.AST, scope: ast.AST) -> Iterator[ast.AST]:
    for outer in module.ancestors(node):
        if outer is scope:
            return
        yield outer


def _is_mangled(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _is_jax(qualname: str | None) -> bool:
    return qualname is not None and qualname.split(".")[0] == "jax"


def _is_impure(qualname: str | None) -> bool:
    return qualname is not None and any(qualname == p or qualname.startswith(f"{p}.") for p in IMPURE_PREFIXES)


def _is_pure_import(qualname: str) -> bool:
    return qualname in PURE_MODULES or qualname in ("numpy", "functools", "typing") or _is_jax(qualname)
