"""Parts of a value that are evidently none that `jit` takes as arguments: texts, functions, sets, objects.

What a text shows is found: a batch that some caller gives a name to, in this file or in another. Of anything else, such
as what a library loads, nothing is known.
"""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.dataflow.budget import MOST_PARTS
from jaxfix.dataflow.call_graph import callers, plain_elsewhere
from jaxfix.dataflow.solver import Lattice, Solver
from jaxfix.library.facets import Effect, Iteration, Result
from jaxfix.library.table import short_names, where
from jaxfix.semantic.calls import arguments_of, returned
from jaxfix.semantic.classes import class_of
from jaxfix.semantic.module import Module
from jaxfix.semantic.mutations import changes_of
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk
from jaxfix.syntax.signatures import default_of

Parts = frozenset[tuple[tuple[str, ...], str]]
"""Where each is and its text: `("*", "1")` for the second of each element, `("='name'",)` for one of a dictionary."""
_NONE: Parts = frozenset()
_PARTS: Lattice[Parts] = Lattice(_NONE, frozenset.union, _NONE)
_ANY = "*"
_KEY = "="
_TEXTS = short_names(Result.TEXT, "builtins")
_TEXT_METHODS = short_names(Result.TEXT, "builtins.str")
_ALIKE = short_names(Iteration.SAME_LENGTH, "builtins") - short_names(Effect.CALLS_NOTHING, "builtins")
_FILLING = short_names(Effect.MUTATES, "builtins.list")
_UPDATING = short_names(Effect.MUTATES, "builtins.dict")
_PLAIN = where(Effect.PURE_DECORATOR)
"""Decorators of classes that register nothing."""


def plain_parts(module: Module, node: ast.AST) -> Parts:
    """The parts of the possible values of an expression or a parameter that certainly hold no arrays or pytrees."""
    return module.get(_solver)(node)


def _solver(module: Module) -> Solver[ast.AST, Parts]:
    return Solver(lambda node: _bounded(_found(module, node)), _PARTS)


def _bounded(parts: Iterable[tuple[tuple[str, ...], str]]) -> Parts:
    return frozenset((path[:MOST_PARTS], text) for path, text in parts)


def _found(module: Module, node: ast.AST) -> Parts:
    match node:
        case ast.Constant(value=str() | bytes()) | ast.JoinedStr() | ast.Lambda() | ast.Set() | ast.SetComp():
            return _whole(module, node)
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return _all(_below(_key(key), module, value) if key else plain_parts(module, value) for key, value in pairs)
        case ast.DictComp(value=value):
            return _below(_KEY, module, value)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            is_spread = any(isinstance(each, ast.Starred) for each in elts)
            return _all(_below(_ANY if is_spread else str(at), module, each) for at, each in enumerate(elts))
        case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt):
            return _below(_ANY, module, elt)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, op=ast.Add() | ast.BitOr(), right=other):
            return plain_parts(module, one) | plain_parts(module, other)
        case ast.BinOp(left=one, op=ast.Mod() | ast.Mult()):
            return plain_parts(module, one)
        case ast.BoolOp(values=several):
            return _all(plain_parts(module, each) for each in several)
        case ast.NamedExpr(value=value) | ast.Await(value=value):
            return plain_parts(module, value)
        case ast.Starred(value=value):
            return _element(plain_parts(module, value))
        case ast.Subscript(value=value, slice=index):
            return _item(plain_parts(module, value), index)
        case ast.Name():
            return _of_variable(module, node)
        case ast.arg():
            return _of_parameter(module, node)
        case ast.Call():
            return _of_call(module, node)
    return _NONE


def _whole(module: Module, node: ast.AST) -> Parts:
    text = " ".join(module.text(node).split()) if isinstance(node, ast.expr) else getattr(node, "name", "")
    return frozenset({((), text)})


def _all(several: Iterable[Parts]) -> Parts:
    return frozenset().union(*several)


def _key(key: ast.expr) -> str:
    return f"{_KEY}{key.value!r}" if isinstance(key, ast.Constant) else _KEY


def _below(step: str, module: Module, node: ast.AST) -> Parts:
    return _under(step, plain_parts(module, node))


def _under(step: str, parts: Parts) -> Parts:
    return frozenset(((step, *path), text) for path, text in parts)


def _taken(parts: Parts, *steps: str) -> Parts:
    """What is left below one of `steps`."""
    return frozenset((path[1:], text) for path, text in parts if path and path[0] in steps)


def _element(parts: Parts) -> Parts:
    """The parts of the iterable of a loop."""
    return frozenset((path[1:], text) for path, text in parts if path and not path[0].startswith(_KEY))


def _item(parts: Parts, index: ast.expr) -> Parts:
    match index:
        case ast.Slice():
            return frozenset(((_ANY, *path[1:]), text) for path, text in parts if path)
        case ast.Constant(value=value):
            return _taken(parts, _ANY, repr(value), _KEY, f"{_KEY}{value!r}")
    return frozenset((path[1:], text) for path, text in parts if path)


# --- variables and parameters ---------------------------------------------------------------------------------------


def _of_variable(module: Module, name: ast.Name) -> Parts:
    scope = module.scope_of(name.id, name)
    if scope is None:
        return _NONE
    bound = _all(_bound(module, binding.node) for binding in module.bindings(name.id, scope))
    fills = (root for root in changes_of(module).roots.get(name.id, ()) if module.scope_of(name.id, root) is scope)
    return bound | _all(_filled(module, root) for root in fills)


def _bound(module: Module, node: ast.AST) -> Parts:
    """What a binding gives to its name."""
    if isinstance(node, ast.arg):
        return plain_parts(module, node)
    if isinstance(node, FUNCTIONS):
        return _whole(module, node)
    if not isinstance(node, ast.Name):
        return _NONE
    value = module.value_of(node)
    if value is not None:
        return plain_parts(module, value)
    path: list[str] = []
    part: ast.AST = node
    while isinstance(outer := module.parent(part), ast.Tuple | ast.List) and isinstance(part, ast.expr):
        path.insert(0, str(outer.elts.index(part)))
        part = outer
    match outer:
        case ast.Assign(value=whole):
            found = plain_parts(module, whole)
        case ast.For(target=target, iter=whole) | ast.comprehension(target=target, iter=whole) if target is part:
            found = _element(plain_parts(module, whole))
        case _:
            return _NONE
    for step in path:
        found = _taken(found, step, _ANY)
    return found


def _filled(module: Module, root: ast.Name) -> Parts:
    """What is put into the object behind a name, at one place."""
    steps: list[str] = []
    part: ast.expr = root
    while isinstance(outer := module.parent(part), ast.Subscript) and outer.value is part:
        steps.append(_key(outer.slice) if isinstance(outer.slice, ast.Constant) else _KEY)
        part = outer
    match outer:
        case ast.Assign(value=value) if steps:
            found = plain_parts(module, value)
        case ast.AugAssign(value=value):
            found = plain_parts(module, value)
        case ast.Attribute(attr=attr):
            call = module.parent(outer)
            found = _put(module, call, attr) if isinstance(call, ast.Call) and call.func is outer else _NONE
        case _:
            return _NONE
    for step in reversed(steps):
        found = _under(step, found)
    return found


def _put(module: Module, call: ast.Call, method: str) -> Parts:
    """What a method that fills a list or a dictionary is given."""
    named = _all(_below(f"{_KEY}{each.arg!r}", module, each.value) for each in call.keywords if each.arg)
    if not call.args:
        return named
    last = plain_parts(module, call.args[-1])
    if method == "extend" or (method in _UPDATING and len(call.args) == 1):
        return named | last
    step = _KEY if method in _UPDATING else _ANY
    return named | (_under(step, last) if method in _UPDATING | _FILLING else _NONE)


def _of_parameter(module: Module, parameter: ast.arg) -> Parts:
    """What the calls of this file pass, and those of others, and the default."""
    arguments = module.parent(parameter)
    function = module.parent(arguments) if arguments is not None else None
    if not isinstance(function, ast.FunctionDef):
        return _NONE
    default = default_of(function, parameter.arg)
    found = plain_parts(module, default) if default is not None else _NONE
    for call in callers(module, function).calls:
        bound = module.method_of(function) is not None and isinstance(call.func, ast.Attribute)
        passed = (arguments_of(function, call, bound=bound) or {}).get(parameter.arg)
        found |= plain_parts(module, passed) if passed is not None else _NONE
    return found | _all(frozenset(each.plain) for each in plain_elsewhere(module, parameter))


# --- calls ----------------------------------------------------------------------------------------------------------


def _of_call(module: Module, call: ast.Call) -> Parts:
    match call.func:
        case ast.Name(id=name) if module.scope_of(name, call) is None:
            return _of_builtin(module, call, name)
        case ast.Attribute(value=owner, attr=method) if module.qualname(call.func) is None:
            return _of_method(module, call, owner, method)
    function = module.definition(call.func)
    if function is not None:
        return _NONE if getattr(function, "decorator_list", ()) else _result(module, function)
    owner_class = class_of(module, call.func)
    return _whole(module, call) if owner_class is not None and is_no_tree_class(module, owner_class) else _NONE


def _of_builtin(module: Module, call: ast.Call, name: str) -> Parts:
    if name in _TEXTS:
        return _whole(module, call)
    each = [_element(plain_parts(module, argument)) for argument in call.args]
    match name:
        case "zip":
            return _under(_ANY, _all(_under(str(at), found) for at, found in enumerate(each)))
        case "enumerate":
            return _under(_ANY, _under("1", _all(each[:1])))
        case "dict":
            named = _all(_below(f"{_KEY}{k.arg!r}", module, k.value) for k in call.keywords if k.arg)
            return named | _all(plain_parts(module, argument) for argument in call.args)
    return _under(_ANY, _all(each[:1])) if name in _ALIKE else _NONE


def _of_method(module: Module, call: ast.Call, owner: ast.expr, method: str) -> Parts:
    found = plain_parts(module, owner)
    if any(not path for path, _ in found):
        return _whole(module, call) if method in _TEXT_METHODS else _NONE
    values = frozenset((path[1:], text) for path, text in found if path and path[0].startswith(_KEY))
    match method, call.args:
        case "values", []:
            return _under(_ANY, values)
        case "items", []:
            return _under(_ANY, _under("1", values))
        case "copy", []:
            return found
        case "get" | "pop", [key, *_]:
            return _item(found, key)
    return _NONE


def _result(module: Module, function: Function) -> Parts:
    yielded = [node.value for node in _own(module, function, ast.Yield) if isinstance(node, ast.Yield) and node.value]
    passed_on = [node.value for node in _own(module, function, ast.YieldFrom) if isinstance(node, ast.YieldFrom)]
    if yielded or passed_on:
        of_elements = (_element(plain_parts(module, each)) for each in passed_on)
        return _under(_ANY, _all((*(plain_parts(module, each) for each in yielded), *of_elements)))
    return _all(plain_parts(module, each) for each in returned(function))


def _own(module: Module, function: Function, kind: type[ast.AST]) -> Iterator[ast.AST]:
    return (node for node in walk(function) if isinstance(node, kind) and module.function(node) is function)


def is_no_tree_class(module: Module, owner: ast.ClassDef) -> bool:
    """Whether objects of a class of this file are evidently no trees of arrays: nothing registers it."""
    if owner.bases or owner.keywords:
        return False
    if any(
        module.qualname(each.func if isinstance(each, ast.Call) else each) not in _PLAIN
        for each in owner.decorator_list
    ):
        return False
    uses = module.reads(owner.name, module.scope_of(owner.name, owner))
    return not any(_registers(module, use) for use in uses)


def _registers(module: Module, use: ast.Name) -> bool:
    call = module.parent(use)
    return isinstance(call, ast.Call) and "register" in (module.qualname(call.func) or "")
