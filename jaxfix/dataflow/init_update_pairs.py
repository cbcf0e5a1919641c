"""Functions that belong together: one makes the state that the other takes and returns."""

import ast
from collections.abc import Iterator

from jaxfix.semantic.module import Module
from jaxfix.semantic.states import States
from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import Function, in_order
from jaxfix.syntax.signatures import parameters_of


@frozen
class Pair:
    """The two halves of an algorithm: `init` makes the state that `update` takes and returns.

    Attributes:
      state: the parameter of `update` that takes the state; None if its place is not certain.
      told: names or annotations say so, and not only what is read of the parameter.
    """

    init: Function
    update: Function
    state: ast.arg | None
    told: bool = True


def pairs(module: Module) -> tuple[Pair, ...]:
    """The init and update functions of `module` that belong together, each pair once."""
    found: dict[tuple[Function, Function], Pair] = {}
    for init, update in _couples(module):
        found.setdefault((init, update), Pair(init, update, _state_parameter(update)))
    for pair in _couples_by_state(module):
        found.setdefault((pair.init, pair.update), pair)
    return tuple(found.values())


def _couples_by_state(module: Module) -> Iterator[Pair]:
    """Pairs of functions: one creates a state, the other takes it and returns the next one.

    A state is an object of a class with fields, or a dictionary: what is returned tells which, and of what a function
    takes the annotation, or the fields and keys that are read of it. Only those that a caller can call one after the
    other: they stand side by side.
    """
    states = module.get(States)
    makers = states.makers()
    if not makers:
        return
    takers = {f: states.taken(f) for f in makers}
    for init, made in makers.items():
        if len(made) != 1 or any(made & owners for _, owners in takers[init]):
            continue
        for update, again in makers.items():
            taken = [parameter for parameter, owners in takers[update] if owners & made]
            if len(taken) == 1 and again & made and _are_together(module, init, update):
                yield Pair(init, update, taken[0], told=taken[0].annotation is not None)


def _are_together(module: Module, init: ast.FunctionDef, update: ast.FunctionDef) -> bool:
    """Whether a caller can call one after the other: two methods of one object, or functions side by side."""
    owner, around = module.method_of(init), module.function(init)
    if owner is not module.method_of(update):
        return False
    return around is None or around is module.function(update)


def _couples(module: Module) -> Iterator[tuple[Function, Function]]:
    names = {f.name for f in module.functions if not isinstance(f, ast.Lambda)} - {"__init__"}
    if not any("init" in name for name in names):
        return
    yield from _couples_by_name(module.tree)
    for node in in_order([*_given_init(module), *module.nodes(ast.Return), *module.nodes(ast.ClassDef)]):
        match node:
            case ast.Call(args=[first, second, *_]):
                yield from _couple(module, first, second, ("update", "step"))
            case ast.Call(keywords=keywords) if {"init", "update"} <= {k.arg for k in keywords}:
                named = {k.arg: k.value for k in keywords}
                yield from _couple(module, named["init"], named["update"], ("update", "step"))
            case ast.Return(value=ast.Tuple(elts=[first, second, *_])):
                # `init, step, condition` is how loops are built, whose state lives inside of one trace.
                yield from _couple(module, first, second, ("update", "kernel"))
            case ast.ClassDef():
                yield from _couples_by_name(node)


def _given_init(module: Module) -> set[ast.AST]:
    """The calls that are given something that is called `init`."""
    names = (node for name, nodes in module.names.by_id.items() if "init" in name for node in nodes)
    keywords = (keyword for keyword in module.nodes(ast.keyword) if keyword.arg == "init")
    around = (module.parent(node) for node in (*names, *keywords))
    return {node for node in around if isinstance(node, ast.Call)}


def _couple(
    module: Module, first: ast.expr, second: ast.expr, words: tuple[str, ...]
) -> Iterator[tuple[Function, Function]]:
    if not isinstance(first, ast.Name) or "init" not in first.id or not isinstance(second, ast.Name):
        return
    init, update = module.definition(first), module.definition(second)
    if not isinstance(init, ast.FunctionDef) or not isinstance(update, ast.FunctionDef):
        return
    if "init" in init.name and any(word in update.name for word in words):
        yield init, update


def _couples_by_name(owner: ast.Module | ast.ClassDef) -> Iterator[tuple[Function, Function]]:
    functions = {s.name: s for s in owner.body if isinstance(s, ast.FunctionDef)}
    for name, init in functions.items():
        if name in ("init", "init_fn", "init_state", "initialize", "_init", "_init_fn"):
            for word in ("update", "step"):
                other = name.replace("initialize", word).replace("init", word)
                if other in functions:
                    yield init, functions[other]


def _state_parameter(update: Function) -> ast.arg | None:
    named = [a for a in parameters_of(update.args) if "state" in a.arg]
    return named[0] if len(named) == 1 else None
