"""Which keys of dictionaries may be equal to others and not the same, as `1` and `True`, or a text and a `StrEnum`.

JAX compares the keys of a tree by `==`, and gives back those of the first trace. Texts and integers of Python are
the same where they are equal.
"""

import ast
import re
from collections.abc import Iterator

from jaxfix.dataflow.call_graph import callers
from jaxfix.dataflow.solver import MAY, Solver
from jaxfix.library.facets import Class, Iteration, Package, Result, Takes
from jaxfix.library.table import short_names, where
from jaxfix.semantic.calls import arguments_of
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import FORMAT_STRINGS
from jaxfix.syntax.signatures import default_of

_PLAIN = short_names(Result.TEXT, "builtins") | short_names(Result.WHOLE, "builtins")
_TEXT_METHODS = short_names(Result.TEXT, "builtins.str")
_COUNTING = short_names(Iteration.COUNTS, "builtins")
_ALIKE = short_names(Iteration.SAME_LENGTH, "builtins")
_KEY, _KEYS, _PAIRS = short_names(Takes.KEY), short_names(Takes.KEYS), short_names(Takes.PAIRS)
_FACTORY = short_names(Takes.FACTORY)
_TYPES = short_names(Result.MUTABLE, "builtins") | short_names(Result.IMMUTABLE, "builtins")
_ARRAYS = where(Class.ARRAY)
_MAKE_ARRAYS = tuple(f"{name}." for name in where(Package.NUMPY) | where(Package.FRESH))
_TAKING = _KEY | _KEYS | _PAIRS | _FACTORY
_METHODS = short_names(Takes.PAIRS, "builtins.dict")
_SEQUENCES = (ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp)
"""Of pairs; anything else is taken for a dictionary, whose keys are asked for where it is made."""
_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)

_WRITTEN = re.compile(rb"[{]|\][ \t]*=(?!=)|\b(?:%s)\(" % "|".join(sorted(_TAKING)).encode())


def may_hold_odd_keys(text: bytes) -> bool:
    """Whether a file may have `odd_keys`, as far as its bytes tell."""
    return _WRITTEN.search(text) is not None


def odd_keys(module: Module) -> Iterator[str]:
    """The text of keys that may be equal to others and not the same, and of what makes the values of missing ones."""
    is_odd = module.get(_odd)
    for node in module.nodes(ast.Dict):
        yield from (module.text(key) for key in node.keys if key is not None and is_odd(key))
    yield from (module.text(node.key) for node in module.nodes(ast.DictComp) if is_odd(node.key))
    for store in module.nodes(ast.Subscript):
        if isinstance(store.ctx, ast.Store) and is_odd(store.slice) and _may_be_dictionary(module, store.value):
            yield module.text(store)
    for call in module.spelled_calls(_TAKING):
        if puts_odd_keys(module, call):
            yield module.text(call)


def is_odd_key(module: Module, key: ast.expr) -> bool:
    """Whether it may be equal to another key, and not the same."""
    return module.get(_odd)(key)


def puts_odd_keys(module: Module, call: ast.Call) -> bool:
    """Whether a call may put such keys into a dictionary."""
    last = module.text(call.func).rpartition(".")[2]
    if last not in _TAKING or not call.args:
        return False
    first = call.args[0]
    if last in _FACTORY:
        is_type = isinstance(first, ast.Name) and first.id in _TYPES and module.scope_of(first.id, first) is None
        is_fixed = is_type or isinstance(first, ast.Lambda | ast.Constant)
        return not is_fixed or any(_gives_odd(module, pairs, 0) for pairs in call.args[1:])
    is_method = isinstance(call.func, ast.Attribute)
    if last in _KEY:
        return is_method and module.get(_odd)(first)
    if last in _KEYS:
        return is_method and _gives_odd(module, first, None)
    if last in _METHODS and not (is_method and len(call.args) == 1 and isinstance(module.parent(call), ast.Expr)):
        return False  # `update` of an optimizer, and its like
    pairs = module.only_value(first) if isinstance(first, ast.Name) else first
    is_builtin = isinstance(pairs, ast.Call) and isinstance(pairs.func, ast.Name) and pairs.func.id in _ALIKE
    return (is_builtin or isinstance(pairs, _SEQUENCES)) and _gives_odd(module, first, 0)


_Asked = ast.AST | tuple[ast.expr, int | None]
"""A key, or an iterable with the position in its elements at which keys stand."""


def _odd(module: Module) -> Solver[_Asked, bool]:
    return Solver(lambda asked: _gives_odd(module, *asked) if isinstance(asked, tuple) else _is_odd(module, asked), MAY)


def _is_odd(module: Module, key: ast.AST) -> bool:
    is_odd = module.get(_odd)
    match key:
        case ast.Constant(value=value):
            return isinstance(value, bool | float | complex)
        case ast.Slice():
            return False
        case ast.Tuple(elts=elts):
            return not any(isinstance(each, ast.Slice) for each in elts) and any(map(is_odd, elts))
        case ast.IfExp(body=one, orelse=other):
            return is_odd(one) or is_odd(other)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return is_odd(operand)
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str())):
            return False
        case ast.BinOp(op=op, left=left, right=right) if isinstance(op, _WHOLE):
            return is_odd(left) or is_odd(right)
        case ast.Attribute(attr="__name__" | "__qualname__" | "__module__"):
            return False
        case ast.Call(func=ast.Name(id=name)):
            return name not in _PLAIN or module.scope_of(name, key) is not None
        case ast.Call(func=ast.Attribute(attr=method)):
            return method not in _TEXT_METHODS
        case ast.Name(id=name):
            scope = module.scope_of(name, key)
            bound = module.bindings(name, scope) if scope is not None else ()
            return not bound or any(_binds_odd(module, binding.node) for binding in bound)
        case ast.arg():
            return _is_passed_odd(module, key)
    return not isinstance(key, FORMAT_STRINGS)


def _binds_odd(module: Module, node: ast.AST) -> bool:
    if isinstance(node, ast.arg):
        return module.get(_odd)(node)
    value = module.value_of(node) if isinstance(node, ast.Name) else None
    if value is not None:
        return module.get(_odd)(value)
    place: list[int] = []
    inner, outer = node, module.parent(node)
    while isinstance(outer, ast.Tuple | ast.List) and isinstance(inner, ast.expr):
        place.insert(0, outer.elts.index(inner))
        inner, outer = outer, module.parent(outer)
    match outer:
        case ast.For(target=target, iter=whole) | ast.comprehension(target=target, iter=whole) if target is inner:
            return len(place) > 1 or _gives_odd(module, whole, place[0] if place else None)
        case ast.AugAssign(value=whole):
            return module.get(_odd)(whole)
    return True


def _gives_odd(module: Module, iterable: ast.expr, position: int | None) -> bool:
    """Whether an element of `iterable`, or what is at a position of it, may be an odd key."""
    match iterable:
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            if position is None:
                return any(map(module.get(_odd), elts))
            pairs = [each.elts for each in elts if isinstance(each, ast.Tuple | ast.List)]
            return len(pairs) < len(elts) or any(
                len(pair) <= position or module.get(_odd)(pair[position]) for pair in pairs
            )
        case ast.Constant(value=str()):
            return False
        case ast.Dict() | ast.DictComp():
            return position is not None  # its keys are asked for where it is made
        case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) | ast.SetComp(elt=element):
            return _gives_odd(module, ast.List([element]), position)
        case ast.Name():
            value = module.only_value(iterable)
            return value is None or isinstance(value, ast.Name) or module.get(_odd)((value, position))
        case ast.Call(func=ast.Attribute(attr="items")):
            return position != 0
        case ast.Call(func=ast.Attribute(attr="keys" | "split")):
            return position is not None
        case ast.Call(func=ast.Name(id=name), args=args) if module.scope_of(name, iterable) is None and args:
            return _result_gives_odd(module, name, args, position)
    return True


def _result_gives_odd(module: Module, name: str, args: list[ast.expr], position: int | None) -> bool:
    is_counting = name in _COUNTING
    if is_counting and (name not in _ALIKE or position == 0):
        return False  # `range`, and the first of `enumerate`
    if name not in _ALIKE or (is_counting and position is None):
        return True
    if len(args) > 1 or is_counting:  # `zip`
        chosen = 0 if is_counting else position
        return chosen is None or chosen >= len(args) or _gives_odd(module, args[chosen], None)
    return _gives_odd(module, args[0], position)


def _is_passed_odd(module: Module, parameter: ast.arg) -> bool:
    """Whether a call may pass one; an annotation does not tell, as a `bool` is an `int`, and a `StrEnum` a `str`."""
    arguments = module.parent(parameter)
    function = module.parent(arguments) if arguments is not None else None
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return True
    found = callers(module, function)
    if not found.calls or not found.are_all_here():
        return True
    for call in found.calls:
        bound = module.method_of(function) is not None and isinstance(call.func, ast.Attribute)
        passed = (arguments_of(function, call, bound=bound) or {}).get(parameter.arg)
        argument = passed or default_of(function, parameter.arg)
        if argument is None or module.get(_odd)(argument):
            return True
    return False


# --- containers -------------------------------------------------------------------------------------------------------


def _may_be_dictionary(module: Module, container: ast.expr) -> bool:
    """Whether what is stored into may be a dictionary: no array, no list."""
    return module.get(_dictionaries)(container)


def _dictionaries(module: Module) -> Solver[ast.AST, bool]:
    return Solver(lambda node: _is_dictionary(module, node), MAY)


def _is_dictionary(module: Module, node: ast.AST) -> bool:
    may_be = module.get(_dictionaries)
    match node:
        case ast.Name(id=name):
            scope = module.scope_of(name, node)
            bound = [binding.node for binding in module.bindings(name, scope)] if scope is not None else []
            return not bound or any(_binds_dictionary(module, each) for each in bound)
        case ast.Attribute(attr=attr):
            stores = [use for use in module.attributes(attr) if isinstance(use.ctx, ast.Store)]
            values = [module.value_of(store) for store in stores]
            return not values or any(value is None or may_be(value) for value in values)
        case ast.List() | ast.ListComp() | ast.Tuple() | ast.BinOp() | ast.Constant():
            return False
        case ast.Call(func=ast.Name(id="list") as func):
            return module.scope_of("list", func) is not None
        case ast.Call(func=func):
            return not (module.qualname(func) or "").startswith(_MAKE_ARRAYS)
    return True


def _binds_dictionary(module: Module, node: ast.AST) -> bool:
    if isinstance(node, ast.arg):
        return module.qualname(node.annotation) not in _ARRAYS if node.annotation is not None else True
    value = module.value_of(node) if isinstance(node, ast.Name) else None
    return value is None or module.get(_dictionaries)(value)
