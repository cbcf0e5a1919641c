"""Options in a dictionary or an object, which a step captures: nothing that the loop runs may change them."""

import ast
from collections.abc import Collection, Iterator

from jaxfix.api import Module, jit_of, returned, walk
from jaxfix.api.analysis import DOES_MORE, Form, Values, aliases, class_of, demands
from jaxfix.api.library import Dtype, Effect, Result, short_names

_METHODS = (
    short_names(Result.FRESH, "jax.Array")
    | short_names(Dtype.KEPT, "jax.Array")
    | short_names(Effect.FETCHES, "jax.Array")
    | short_names(Effect.WAITS, "jax.Array")
    | short_names(Effect.MUTATES)
)
"""Those of arrays and containers, where no class of the file has one of that name."""
_BUILTINS = short_names(Effect.PURE, "builtins") | short_names(Effect.READS, "builtins")
_OF_DATA = (ast.AnnAssign, ast.Expr, ast.Pass)
"""What a class holds that only declares fields: others may be one for all its objects, or be computed."""
_ARITHMETIC = (
    *(ast.Tuple, ast.List, ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp),
    *(ast.operator, ast.unaryop, ast.expr_context),
)
_MADE = (ast.Dict, ast.List, ast.ListComp, ast.Tuple, ast.Call)


def are_captured(module: Module, name: str, scope: ast.AST, loop: ast.stmt, inside: Collection[ast.AST]) -> bool:
    """Whether a variable of a function holds options of plain values, which do not change while `loop` runs.

    Args:
      inside: nodes of a step, which changes none of what it reads.
    """
    values = module.get(Values)
    reads = module.reads(name, scope)
    sources = {source for read in reads for source in values.origins.of(read)}
    return (
        not any(values.of(read).is_array for read in reads)
        and all(_is_bound_plainly(module, binding.node) for binding in module.bindings(name, scope))
        and all(_is_plain(module, source) for source in sources)
        and all(aliases.only_reads(module, read, nests=True) for read in reads if read not in inside)
        and _is_closed(module, loop, inside, sources)
    )


def _is_bound_plainly(module: Module, node: ast.AST) -> bool:
    """Whether it is a parameter, or what a display or a call makes: not another name of what something else holds."""
    value = module.value_of(node) if isinstance(node, ast.Name) else None
    return isinstance(node, ast.arg) or isinstance(value, _MADE)


def _is_plain(module: Module, source: ast.AST) -> bool:
    """Whether it makes options that no code of this file computes, or holds as a variable of the module."""
    statement = module.statement(source)
    if isinstance(statement, ast.Assign) and module.function(statement) is None:
        return False
    match source:
        case ast.Dict(values=parts):
            return all(_is_plain(module, part) for part in parts)
        case ast.Call(func=func, args=args, keywords=keywords):
            given = (*args, *(keyword.value for keyword in keywords))
            owner = class_of(module, func)
            is_data = owner is None or all(isinstance(each, _OF_DATA) for each in owner.body)
            return is_data and all(_is_plain(module, each) for each in given) and _returns_plainly(module, func)
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return all(_is_plain(module, each) for each in elts)
        case ast.ListComp(elt=elt, generators=generators):
            counted = {each.target.id for each in generators if _counts(module, each) and type(each.target) is ast.Name}
            names = [node for node in walk(elt) if isinstance(node, ast.Name)]
            is_arithmetic = all(isinstance(node, _ARITHMETIC) for node in walk(elt))
            return is_arithmetic and all(name.id in counted or _is_number(module, name) for name in names)
        case ast.Constant() | ast.Lambda() | ast.arg():
            return True
    return isinstance(source, ast.expr) and _is_number(module, source)


def _counts(module: Module, generator: ast.comprehension) -> bool:
    """Whether it goes over whole numbers."""
    match generator.iter:
        case ast.Call(func=ast.Name(id="range") as func):
            return module.scope_of(func.id, func) is None
    return False


def _returns_plainly(module: Module, func: ast.expr) -> bool:
    """Whether a function, where this file defines it, makes what it returns, and keeps none of it."""
    function = module.definition(func)
    results = returned(function) if isinstance(function, ast.FunctionDef) else ()
    sources = (source for result in results for source in module.get(Values).origins.of(result))
    return all(isinstance(source, ast.arg) or _is_plain(module, source) for source in sources)


def _is_number(module: Module, part: ast.expr) -> bool:
    """Whether it is surely no array, and no list that may be refilled."""
    found = module.get(Values).of(part)
    return not found.is_array and found.form is Form.PYTHON


def _is_closed(module: Module, loop: ast.stmt, inside: Collection[ast.AST], sources: Collection[ast.AST]) -> bool:
    """Whether no code that the loop runs beside the step may hold what `sources` made."""
    for node in walk(loop):
        if node in inside:
            continue
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Global() | ast.Nonlocal() | ast.Yield() | ast.Await():
                return False
            case ast.Subscript(ctx=ast.Store() | ast.Del(), value=whole):
                if any(source in sources for source in module.get(Values).origins.of(whole)):
                    return False
            case ast.Call() if not _is_apart(module, node):
                return False
    return all(_is_of_data(module, each) for each in _iterated(loop, inside))


def _is_apart(module: Module, call: ast.Call) -> bool:
    """Whether a call runs no code that may hold an object which it is not given."""
    func, qualname = call.func, module.qualname(call.func)
    if qualname is not None:
        return not module.surroundings.project.ask(DOES_MORE, qualname)
    if jit_of(module, func) is not None:
        return True
    function = module.definition(func)
    if function is not None:
        return demands(module, function).reason is None
    match func:
        case ast.Name(id=name):
            return module.scope_of(name, func) is None and name in _BUILTINS
        case ast.Attribute(value=owner, attr=attr):
            made = module.only_value(owner)
            is_usual = attr in _METHODS and attr not in module.names.defining
            return is_usual or (isinstance(made, ast.Call) and _is_apart(module, made))
    return False


def _iterated(loop: ast.stmt, inside: Collection[ast.AST]) -> Iterator[ast.expr]:
    """What the loop, and those in it, go over."""
    for node in walk(loop):
        if isinstance(node, ast.For | ast.comprehension) and node not in inside:
            yield node.iter


def _is_of_data(module: Module, iterable: ast.expr) -> bool:
    """Whether to go over it runs no code of this file."""
    for node in walk(iterable):
        sources = module.get(Values).origins.of(node) if isinstance(node, ast.Name) else (node,)
        for source in sources:
            if isinstance(source, ast.GeneratorExp | ast.Attribute):
                return False
            if isinstance(source, ast.Call):
                function = module.definition(source.func)
                parts = walk(function) if function is not None else ()
                is_lazy = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in parts)
                if is_lazy or class_of(module, source.func) is not None:
                    return False
    return True
