"""Which expressions are surely arrays, or keys: what methods that are gone were called of."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.api import FUNCTIONS, Function, Module, jitted_of, returned
from jaxfix.api.analysis import EXISTS, Form, Solver, Values, arrays, changes_of
from jaxfix.api.library import Member, Method, Result, Transform, short_names, where

_TREE_MAPS = where(Transform.MAPS_LEAVES)
_OF_ARRAYS = where(Result.ARRAYS) | where(Result.STACKED)
_FILTERING = where(Transform.FILTERS)
_GRADIENTS = where(Transform.GRADIENT)
_STATIC = short_names(Member.STATIC)


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
    return module.get(arrays)(expr) or values.of(expr).is_array or any(map(module.get(_trees), _mapped(module, expr)))


def _mapped(module: Module, leaf: ast.expr) -> Iterator[ast.expr]:
    """The trees of whose leaves `leaf` is one, a parameter of what `jax.tree.map` and nothing else calls."""
    bound = module.only_binding(leaf) if isinstance(leaf, ast.Name) else None
    arguments = module.parent(bound.node) if bound is not None else None
    function = module.parent(arguments) if isinstance(arguments, ast.arguments) else None
    if not isinstance(arguments, ast.arguments) or not isinstance(function, FUNCTIONS):
        return
    place = next((i for i, each in enumerate(arguments.args, 1) if bound is not None and each is bound.node), 0)
    trees = [_tree_of(module, use, place) for use in _uses(module, function)]
    yield from [tree for tree in trees if tree is not None] if None not in trees else []


def _uses(module: Module, function: Function) -> Sequence[ast.expr]:
    if isinstance(function, ast.Lambda):
        target = module.parent(function)
        named = target.targets[0] if isinstance(target, ast.Assign) else None
        return (
            module.reads(named.id, module.scope_of(named.id, function)) if isinstance(named, ast.Name) else [function]
        )
    return module.reads(function.name, module.scope_of(function.name, function)) if not function.decorator_list else ()


def _tree_of(module: Module, use: ast.expr, place: int) -> ast.expr | None:
    """The tree for that place where `use` is what a call maps over the leaves of trees, that of arrays among them."""
    call = module.parent(use)
    if not isinstance(call, ast.Call) or module.qualname(call.func) not in _TREE_MAPS or call.args[:1] != [use]:
        return None
    is_plain = not call.keywords and not any(isinstance(arg, ast.Starred) for arg in call.args)
    tree = call.args[place] if is_plain and 0 < place < len(call.args) else None
    return tree if tree is not None and module.get(_trees)(tree) else None


def _trees(module: Module) -> Solver[ast.expr, bool]:
    """Whether all leaves of a tree are surely arrays."""
    return Solver(lambda expr: _is_of_arrays(module, expr), EXISTS)


def _is_of_arrays(module: Module, expr: ast.expr) -> bool:
    again = module.get(_trees)
    match expr:
        case ast.Name(id=name) if name not in changes_of(module).roots:
            bound = [each.node for each in module.bindings(name, module.scope_of(name, expr))]
            values = [_bound(module, node) for node in bound]
            return bool(values) and all(value is not None and again(value) for value in values)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return bool(parts) and all(again(part) for part in parts)
        case ast.Attribute(value=whole, attr=attr):
            return attr not in _STATIC and again(whole)
        case ast.Subscript(value=whole):
            return again(whole)
        case ast.Call() if _makes_arrays(module, expr):
            return True
    return module.get(_arrays)(expr)


def _bound(module: Module, node: ast.AST) -> ast.expr | None:
    """What a target is bound to, or is a part of."""
    value = module.value_of(node) if isinstance(node, ast.Name) else None
    parent = module.parent(node)
    statement = module.parent(parent) if isinstance(parent, ast.Tuple) else None
    return statement.value if value is None and isinstance(statement, ast.Assign) else value


def _makes_arrays(module: Module, call: ast.Call) -> bool:
    """Whether it returns a tree of nothing but arrays: what is compiled does, and a gradient."""
    name = module.qualname(call.func)
    if name in _OF_ARRAYS:
        return True
    if name in _TREE_MAPS and call.args:
        function = module.definition(call.args[0])
        results = returned(function) if function is not None else ()
        return bool(results) and all(map(module.get(_arrays), results))
    made = jitted_of(module, call.func)
    if made is not None:
        return made.jit.by not in _FILTERING
    maker = module.only_value(call.func) or call.func
    return isinstance(maker, ast.Call) and module.qualname(maker.func) in _GRADIENTS


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
