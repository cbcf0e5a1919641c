"""Expressions that are surely arrays, or keys: the methods that are gone were theirs."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.api import FUNCTIONS, Function, Identifiers, Module, jitted_of, returned
from jaxfix.api.analysis import (
    EXISTS,
    Form,
    Kind,
    Solver,
    Values,
    aliases,
    arrays,
    callers,
    changes_of,
    is_read_elsewhere,
    keeps_results,
    kept_results,
    positional_of,
)
from jaxfix.api.library import Effect, Method, Result, Transform, members_of, short_names, where

_TREE_MAPS = where(Transform.MAPS_LEAVES)
_OF_ARRAYS = where(Result.ARRAYS)
_COPIES = where(Result.STACKED)
_FILTERING = where(Transform.FILTERS)
_GRADIENTS = where(Transform.GRADIENT)
_PAIRS = where(Transform.WITH_VALUE)
_SEES_NAMES = short_names(Effect.SEES_NAMES)
_OF_ARRAY = members_of("jax.Array") - members_of("builtins.dict") - members_of("builtins.list")
_DISPLAYS = (ast.Tuple, ast.List, ast.Dict)


def is_known(module: Module, row: Method, receiver: ast.expr) -> bool:
    """Whether it has the method or attribute of the row: an array, or a key."""
    if isinstance(receiver, ast.Constant | ast.JoinedStr):
        return False
    if not row.is_of_keys:
        return module.get(_arrays)(_whole(module, receiver))
    made = module.names.only_value(receiver) or receiver
    made = made.value if isinstance(made, ast.Subscript) else made
    made = module.names.only_value(made) or made
    return isinstance(made, ast.Call) and module.qualname(made.func) in where(Result.KEY)


def _arrays(module: Module) -> Solver[ast.expr, bool]:
    return Solver(lambda expr: _is_array(module, expr), EXISTS)


def _is_array(module: Module, expr: ast.expr) -> bool:
    """Whether it is surely an array: beside one, an operand that is unknown may compute an object of its class."""
    again, values = module.get(_arrays), module.get(Values)
    value = module.only_value(expr)
    if value is not None:
        return again(value)
    match expr:
        case ast.BinOp(left=left, op=op, right=right):
            made = any(map(again, (left,) if isinstance(op, ast.Mod) else (left, right)))  # of a text `%` makes a text
            return made and all(again(each) or values.of(each).form is Form.PYTHON for each in (left, right))
        case ast.UnaryOp(operand=part) | ast.Subscript(value=part):
            return again(part)
        case ast.Call() if _is_changed(module, expr):
            return False
    number = values.of(expr)
    is_array = number.is_array and not (number.form is Form.ARRAY and number.kind is Kind.UNKNOWN)
    if is_array or any(map(module.get(_trees), _mapped(module, expr))):
        return True
    sources = _sources(module, expr)
    return module.get(arrays)(expr) if sources is None else bool(sources) and all(map(again, sources))


def _sources(module: Module, expr: ast.expr) -> Sequence[ast.expr] | None:
    """What a variable may stand for, or a function of this file returns; None of anything else."""
    match expr:
        case ast.Name(id=name):
            bound = [each.node for each in module.bindings(name, module.scope_of(name, expr))]
            values = [module.value_of(node) if isinstance(node, ast.Name) else None for node in bound]
            known = [value for value in values if value is not None]
            return known if len(known) == len(values) else ()
        case ast.Call(func=func) if (function := module.definition(func)) is not None:
            return kept_results(module, function)
    return None


def _mapped(module: Module, leaf: ast.expr) -> Iterator[ast.expr]:
    """The trees of whose leaves `leaf` is one, a parameter of what `jax.tree.map` and nothing else calls."""
    bound = module.only_binding(leaf) if isinstance(leaf, ast.Name) else None
    arguments = module.parent(bound.node) if bound is not None else None
    function = module.parent(arguments) if isinstance(arguments, ast.arguments) else None
    if not isinstance(arguments, ast.arguments) or not isinstance(function, FUNCTIONS):
        return
    place = next((i for i, each in enumerate(positional_of(arguments), 1) if each is bound.node), 0) if bound else 0
    named = _named(module, function)
    uses = [function] if named is None and isinstance(function, ast.Lambda) else _uses(module, named)
    trees = [tree for use in uses if (tree := _tree_of(module, use, place)) is not None]
    if trees and len(trees) == len(uses) and (named is None or _is_closed(module, named)):
        yield from trees


_Named = ast.Name | ast.FunctionDef | ast.AsyncFunctionDef


def _named(module: Module, function: Function) -> _Named | None:
    """What gives a function the one name that it has; None where it has none, or may have others."""
    if not isinstance(function, ast.Lambda):
        return None if function.decorator_list or module.method_of(function) is not None else function
    match module.parent(function):
        case ast.Assign(targets=[ast.Name() as name]):
            return name
    return None


def _uses(module: Module, named: _Named | None) -> Sequence[ast.expr]:
    """What the file does with it; nothing where it calls it."""
    found = callers(module, named) if named is not None else None
    return found.others if found is not None and not found.calls else ()


def _is_closed(module: Module, named: _Named) -> bool:
    """Whether nothing else may call it: other files are asked last."""
    found = callers(module, named)
    name = named.id if isinstance(named, ast.Name) else named.name
    return found.is_closed() and not found.outside and _stays_here(module, name, named)


def _stays_here(module: Module, name: str, node: ast.AST) -> bool:
    """Whether no other file, and no text, can name a variable."""
    if module.scope_of(name, node) is not module.tree:
        return True
    return not is_read_elsewhere(module, name) and not any(map(module.get(Identifiers).mentions, _SEES_NAMES))


def _tree_of(module: Module, use: ast.expr, place: int) -> ast.expr | None:
    """The tree for that place where `use` is what a call maps over the leaves of trees, that of arrays among them."""
    call = module.parent(use)
    if not isinstance(call, ast.Call) or module.qualname(call.func) not in _TREE_MAPS or call.args[:1] != [use]:
        return None
    is_plain = not call.keywords and not any(isinstance(arg, ast.Starred) for arg in call.args)
    tree = call.args[place] if is_plain and 0 < place < len(call.args) else None
    if tree is None or not module.get(_trees)(tree):
        return None
    return tree if place == 1 or isinstance(module.only_value(tree) or tree, _DISPLAYS) else None


def _trees(module: Module) -> Solver[ast.expr, bool]:
    """Whether all leaves of a tree are surely arrays."""
    return Solver(lambda expr: _is_of_arrays(module, expr), EXISTS)


def _is_of_arrays(module: Module, expr: ast.expr) -> bool:
    again = module.get(_trees)
    match expr:
        case ast.Name():
            values = _values(module, expr)
            return bool(values) and all(value is not None and again(value) for value in values)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return bool(parts) and all(again(part) for part in parts)
        case ast.Subscript(value=whole):
            return again(whole)
        case ast.Call() if _makes_arrays(module, expr):
            return True
    return module.get(_arrays)(expr)


def _values(module: Module, name: ast.Name) -> list[ast.expr | None]:
    """What a variable is bound to, or is a part of; nothing where something else may change it."""
    scope = module.scope_of(name.id, name)
    if scope is None or name.id in changes_of(module).roots or not _stays_here(module, name.id, name):
        return []
    reads = module.reads(name.id, scope)
    if module.function(name) is not scope and any(
        isinstance(module.parent(use), ast.Return | ast.Tuple) for use in reads
    ):
        return []  # it may be read after it was returned
    if not all(_is_only_read(module, use, scope) for use in reads):
        return []
    return [_bound(module, each.node) for each in module.bindings(name.id, scope)]


def _is_only_read(module: Module, use: ast.expr, scope: ast.AST) -> bool:
    """Whether nothing around a use changes what it holds, or keeps it: what is returned has been used before."""
    outer = module.parent(use)
    match outer:
        case ast.Subscript(value=whole) if whole is use:
            return isinstance(outer.ctx, ast.Load) and _is_only_read(module, outer, scope)
        case ast.Return():
            return module.function(use) is scope
        case ast.Tuple() if isinstance(module.parent(outer), ast.Return):
            return module.function(use) is scope
        case ast.Call(args=[first, *_]) if first is use and _gradient(module, outer) is not None:
            return True  # of a copy
        case ast.Call(func=func) if module.qualname(func) in _COPIES or jitted_of(module, func) is not None:
            return func is not use
        case ast.Attribute(attr=attr) if attr not in _OF_ARRAY:
            return False
        case ast.Assign() | ast.NamedExpr() | ast.For() | ast.comprehension():
            return False
    return aliases.only_reads(module, use, nests=True)


def _bound(module: Module, node: ast.AST) -> ast.expr | None:
    """What a target is bound to, or is a part of."""
    value = module.value_of(node) if isinstance(node, ast.Name) else None
    parent = module.parent(node)
    match module.parent(parent) if isinstance(parent, ast.Tuple) else None:
        case ast.Assign(targets=[_], value=ast.Call() as call) if _is_tuple(module, call):
            return value or call
    return value


def _is_tuple(module: Module, call: ast.Call) -> bool:
    """Whether it returns a tuple: unpacked, another tree gives its keys."""
    maker = _gradient(module, call)
    if maker is not None:
        return module.qualname(maker.func) in _PAIRS or any(isinstance(k.value, ast.Tuple) for k in maker.keywords)
    made = jitted_of(module, call.func)
    given = returned(made.function) if made is not None and made.function is not None else ()
    return bool(given) and all(isinstance(each, ast.Tuple) for each in given)


def _makes_arrays(module: Module, call: ast.Call) -> bool:
    """Whether it returns a tree of nothing but arrays: what is compiled does, and a gradient."""
    name = module.qualname(call.func)
    if _is_changed(module, call):
        return False
    if name in _OF_ARRAYS:
        return True
    if name in _COPIES:
        return bool(call.args) and module.get(_trees)(call.args[0])
    if name in _TREE_MAPS and call.args:
        function = module.definition(call.args[0])
        given = kept_results(module, function) if function is not None else ()
        return bool(given) and all(map(module.get(_arrays), given))
    made = jitted_of(module, call.func)
    if made is not None:
        return made.jit.by not in _FILTERING
    return _gradient(module, call) is not None


def _is_changed(module: Module, call: ast.Call) -> bool:
    """Whether a decorator may make another thing of what the function returns."""
    function = module.definition(call.func)
    return function is not None and not keeps_results(module, function)


def _gradient(module: Module, call: ast.Call) -> ast.Call | None:
    """What makes the function that is called, where it returns derivatives, and nothing of another kind."""
    maker = module.only_value(call.func) or call.func
    if not isinstance(maker, ast.Call) or module.qualname(maker.func) not in _GRADIENTS:
        return None
    return maker if len(maker.args) == 1 and all(each.arg == "argnums" for each in maker.keywords) else None


def _whole(module: Module, item: ast.expr) -> ast.expr:
    """The array that loops or comprehensions take `item` of, or of whose buffers it is one; else `item` itself."""
    seen = set[ast.expr]()
    while item not in seen:
        seen.add(item)
        bound = module.only_binding(item) if isinstance(item, ast.Name) else None
        match module.parent(bound.node) if bound is not None else None:
            case ast.For(target=ast.Name(), iter=iterated) | ast.comprehension(target=ast.Name(), iter=iterated):
                is_buffers = isinstance(iterated, ast.Attribute) and iterated.attr == "device_buffers"
                item = iterated.value if isinstance(iterated, ast.Attribute) and is_buffers else iterated
    return item
