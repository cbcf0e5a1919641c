"""Which variables what an expression makes may hold: as they are, not as a shape or a function of theirs."""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.solver import MAY, Solver
from jaxfix.effects.new_arrays import is_arithmetic, is_new_of_library, makes_new
from jaxfix.library.facets import Member, Package, Result, Transform
from jaxfix.library.table import members_of, short_names, where
from jaxfix.semantic.calls import returned
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import Function

_TREE_MAPS = where(Transform.MAPS_LEAVES)
_OF_ARRAYS = members_of("jax.Array")
_MAY_RETURN_IT = _OF_ARRAYS - short_names(Result.FRESH, "jax.Array")
_LIBRARIES = where(Package.ARRAYS)
_STATIC = short_names(Member.STATIC)


def held_in(module: Module, expr: ast.expr) -> Iterator[ast.Name]:
    """The variables whose arrays `expr` may hold, in the order of the text.

    What it takes from an object by its name, as `envs.num_envs`, and the object of a method that is none of arrays are
    not among them.
    """
    match expr:
        case ast.Name():
            yield expr
        case ast.Attribute(value=ast.Name() as owner, attr=attr):
            if attr not in _STATIC and not is_object_or_shape(module, owner):
                yield owner
        case ast.Attribute(value=value, attr=attr):
            yield from held_in(module, value) if attr not in _STATIC else ()
        case ast.Subscript(value=value) | ast.Starred(value=value):
            yield from held_in(module, value)
        case ast.Call() if makes_new(module, expr):
            return
        case ast.Call(func=func, args=[function, *trees]) if module.qualname(func) in _TREE_MAPS:
            for tree in trees if _keeps_leaves(module, function) else ():
                yield from held_in(module, tree)
        case ast.Call(func=func, args=args, keywords=keywords):
            yield from held_in(module, func) if isinstance(func, ast.Call) else ()
            for array in receiver(module, expr):
                yield from held_in(module, array)
            for argument in (*args, *(keyword.value for keyword in keywords)):
                yield from held_in(module, argument)
        case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from held_in(module, part)
        case ast.IfExp(body=body, orelse=orelse):
            yield from held_in(module, body)
            yield from held_in(module, orelse)
        case ast.BinOp() if is_arithmetic(expr):
            return
        case ast.Constant() | ast.Compare() | ast.UnaryOp() | ast.Lambda() | ast.JoinedStr():
            return
        case _:
            yield from (node for node in ast.walk(expr) if isinstance(node, ast.Name))


def receiver(module: Module, call: ast.Call) -> Iterator[ast.expr]:
    """The array whose memory `call` may return, if it calls a method of arrays: `table.reshape(3, 4)`."""
    match call.func:
        case ast.Attribute(value=array, attr=attr) if attr in _MAY_RETURN_IT:
            if (module.qualname(call.func) or "").partition(".")[0] not in _LIBRARIES:
                yield array


def _keeps_leaves(module: Module, function: ast.expr) -> bool:
    """Whether a function of leaves may return one as it is."""
    own = module.definition(function)
    return not is_new_of_library(module, function) if own is None else module.get(_keeping)(own)


def _keeping(module: Module) -> Solver[Function, bool]:
    """Whether a function of this file may return a leaf unchanged; it may map itself over the leaves of a leaf."""

    def keeps(function: Function) -> bool:
        results = returned(function)
        return not results or any(True for result in results for _ in held_in(module, result))

    return Solver(keeps, MAY)


def is_object_or_shape(module: Module, load: ast.Name) -> bool:
    """Whether `load` calls a function or a method of the object, or reads what is not an array of it."""
    parent = module.parent(load)
    match parent:
        case ast.Call(func=func):
            return func is load
        case ast.Attribute(attr=attr):
            outer = module.parent(parent)
            is_method = isinstance(outer, ast.Call) and outer.func is parent
            return attr in _STATIC or (attr not in _OF_ARRAYS and (is_method or _is_setting(module, load)))
    return False


def may_be_of_another_file(module: Module, load: ast.Name) -> bool:
    """Whether an imported name, or what is read of it, may be an array: no class, and of no library of arrays."""
    node: ast.AST = load
    while isinstance(outer := module.parent(node), ast.Attribute):
        node = outer
    name = module.qualname(node) or load.id
    last = name.rpartition(".")[2]
    is_class = last[:1].isupper() and not last.isupper()
    return not is_class and name.partition(".")[0] not in _LIBRARIES


def _is_setting(module: Module, load: ast.Name) -> bool:
    """Whether nothing but attributes is read of the object, and it is passed to nobody: a configuration."""
    if _is_module(module, load) and may_be_of_another_file(module, load):
        return False
    scope = module.scope_of(load.id, load)
    reads = module.reads(load.id, scope) if scope is not None else ()
    taken = [module.parent(read) for read in reads]
    return all(isinstance(each, ast.Attribute) and each.attr not in _OF_ARRAYS for each in taken)


def _is_module(module: Module, load: ast.Name) -> bool:
    """Whether `import` alone binds the name."""
    found = (alias for statement in module.nodes(ast.Import) for alias in statement.names)
    is_imported = any((each.asname or each.name.partition(".")[0]) == load.id for each in found)
    return is_imported and module.qualname(load) is not None
