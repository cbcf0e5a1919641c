"""What a decorator of the project makes of its function: one under jit, or one that is called as it is."""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.library.facets import Transform
from jaxfix.library.table import where
from jaxfix.semantic.calls import calls_of_calls, returned_anywhere
from jaxfix.semantic.identifiers import Identifiers
from jaxfix.semantic.module import Module
from jaxfix.semantic.project.query import WRAPPING
from jaxfix.semantic.project.summary_types import Wrapping
from jaxfix.staging.jit import COMPILING, PARTIALS, partials, transform_of
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk
from jaxfix.syntax.signatures import positional_of

_JITS = where(Transform.TRACES)
_TRANSPARENT = where(Transform.TRANSPARENT)
_LAST_PARTS = frozenset(name.rpartition(".")[2] for name in _JITS)
_NAMES = _LAST_PARTS | {"jax"}
_WORDS = frozenset(name.rpartition(".")[2] for name in _JITS | COMPILING)


def wrapping(module: Module, decorator: ast.expr) -> Wrapping | None:
    """What `decorator`, with its options or without, makes of its function; None where it is unknown."""
    named = decorator
    while isinstance(named, ast.Call):
        is_partial = module.qualname(named.func) in PARTIALS and bool(named.args)
        named = named.args[0] if is_partial else named.func
    function = module.definition(named)
    if function is not None:
        return wrapping_of(module, function)
    if isinstance(named, ast.Name) and named.id in staging_names(module):
        return Wrapping.STAGES if module.scope_of(named.id, named) is module.tree else None
    qualname = module.qualname(named)
    return None if qualname is None else module.surroundings.project.ask(WRAPPING, qualname)


def staging_names(module: Module) -> frozenset[str]:
    """The variables of the module that are a transformation such as `partial(jax.pmap, devices=d)` and nothing else."""
    return module.get(_staging_names)


def _staging_names(module: Module) -> frozenset[str]:
    made = {call for call in module.calls(*PARTIALS) if len(call.args) == 1}
    perhaps = {target.id for target, value in module.names.assigned if value in made}
    return frozenset(name for name in perhaps if all(_is_staging(module, each.node) for each in module.bindings(name)))


def _is_staging(module: Module, bound: ast.AST) -> bool:
    value = module.value_of(bound) if isinstance(bound, ast.Name) else None
    return isinstance(value, ast.Call) and transform_of(module, value) in _JITS


def wrapping_of(module: Module, function: Function) -> Wrapping | None:
    """What `function` makes of the function that it decorates; None where it only may put it under `jit`."""
    if not module.get(_speaks_of_staging):
        return Wrapping.CALLS
    compiled = [name for call, name in module.get(_compiled) if function in module.ancestors(call)]
    if compiled and not set(_parameters(walk(function))).isdisjoint(compiled):
        return Wrapping.STAGES
    if _only_calls_under_jit(module, function):
        return Wrapping.STAGES
    staging = module.get(_staging)
    return None if any(function in module.ancestors(node) for node in staging) else Wrapping.CALLS


def _compiled(module: Module) -> list[tuple[ast.Call, str]]:
    """The calls that put what a name stands for under `jit` or the like, with that name."""
    every = {*module.calls(*COMPILING), *calls_of_calls(module), *module.spelled_calls(module.get(partials))}
    return [
        (call, call.args[0].id)
        for call in every
        if call.args and isinstance(call.args[0], ast.Name) and transform_of(module, call.func) in COMPILING
    ]


def _only_calls_under_jit(module: Module, function: Function) -> bool:
    """Whether all that becomes of its first parameter is a call, in functions of its own that `jit` or the like takes.

    `functools.wraps` takes a name and a docstring.
    """
    first = next(iter(_positional(function)), None)
    if first is None or isinstance(function, ast.Lambda) or len(module.bindings(first.arg, function)) != 1:
        return False
    called = False
    for read in module.reads(first.arg, function):
        match module.parent(read):
            case ast.Call(func=func) if func is read and _is_under_jit(module, read, function):
                called = True
            case ast.Call(func=maker) as made if transform_of(module, maker) in _TRANSPARENT:
                if not isinstance(module.parent(made), ast.FunctionDef):
                    return False
            case _:
                return False
    return called


def _is_under_jit(module: Module, node: ast.AST, outermost: Function) -> bool:
    """Whether a function around `node`, inside of the outermost one, is decorated with `jit`, or only passed to it."""
    around = module.functions_around(node)
    inner = around[: around.index(outermost)]
    return any(isinstance(each, ast.FunctionDef) and _is_taken(module, each) for each in inner)


def _is_taken(module: Module, function: ast.FunctionDef) -> bool:
    if any(transform_of(module, each) in _JITS for each in function.decorator_list):
        return True
    reads = module.reads(function.name, module.function(function) or module.tree)
    calls = [module.parent(read) for read in reads]
    return bool(calls) and all(
        isinstance(call, ast.Call) and call.args[:1] == [read] and transform_of(module, call.func) in _JITS
        for read, call in zip(reads, calls, strict=True)
    )


def _speaks_of_staging(module: Module) -> bool:
    """Whether anything in the module may stage, as far as the words tell: of most modules nothing can."""
    if module.get(Identifiers).mentions_any(_WORDS):
        return True
    of_jax = (alias for alias in module.nodes(ast.alias) if alias.name.partition(".")[0] == "jax")
    names = {alias.asname or "jax" for alias in of_jax}
    every = (node for name in names for node in module.names.by_id.get(name, ()))
    return any(not isinstance(module.parent(node), ast.Attribute) for node in every)


def is_decorator(module: Module, function: ast.FunctionDef) -> bool:
    """Whether it may be meant to decorate: it returns a function that it defines."""
    names = {each.id for each in returned_anywhere(module, function) if isinstance(each, ast.Name)}
    named = (f for f in module.nodes(ast.FunctionDef) if f.name in names) if names else ()
    return any(function in module.functions_around(each) for each in named)


def _staging(module: Module) -> frozenset[ast.AST]:
    """The nodes that are a transformation such as `jit`, or hand `jax` to someone, who may take one from it."""
    found: set[ast.AST] = {n for last in _LAST_PARTS for n in module.attributes(last) if module.qualname(n) in _JITS}
    for node in (node for name in module.names.spellings(_NAMES) for node in module.names.by_id.get(name, ())):
        qualname = module.qualname(node)
        if qualname in _JITS or (qualname == "jax" and not isinstance(module.parent(node), ast.Attribute)):
            found.add(node)
    return frozenset(found)


def _parameters(inside: Iterable[ast.AST]) -> Iterator[str]:
    """The first parameters of a function and of those inside it, which a decorator with options returns."""
    for node in inside:
        if isinstance(node, FUNCTIONS) and (positional := _positional(node)):
            yield positional[0].arg


def _positional(function: Function) -> list[ast.arg]:
    return positional_of(function.args)
