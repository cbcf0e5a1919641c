"""Functions that belong together: one makes the state that the other takes and returns."""

import ast
from collections.abc import Iterator

from jaxfix.semantic.module import Module
from jaxfix.semantic.records import Records
from jaxfix.source.frozen import frozen
from jaxfix.syntax.nodes import Function, in_order
from jaxfix.syntax.signatures import parameters_of


@frozen
class Pair:
    """The two halves of an algorithm: `init` makes the state that `update` takes and returns.

    Attributes:
      state: the parameter of `update` that takes the state; None if its place is not certain.
    """

    init: Function
    update: Function
    state: ast.arg | None


def pairs(module: Module) -> tuple[Pair, ...]:
    """The init and update functions of `module` that belong together, each pair once."""
    found: dict[tuple[Function, Function], Pair] = {}
    for init, update in _couples(module):
        found.setdefault((init, update), Pair(init, update, _state_parameter(update)))
    for pair in _couples_by_class(module, module.get(Records)):
        found.setdefault((pair.init, pair.update), pair)
    return tuple(found.values())


def _couples_by_class(module: Module, records: Records) -> Iterator[Pair]:
    """Functions of which one returns an object of a class of the module, and the other takes and returns one.

    Only those that a caller can call one after the other: the first is no part of another function.
    """
    if not records.fields:
        return
    functions = [f for f in module.functions if isinstance(f, ast.FunctionDef)]
    takes = {f: [(a, o) for a in _arguments_of(f) if (o := _annotated(records, a)) is not None] for f in functions}
    if not any(takes.values()):
        return
    results: dict[Function | None, list[ast.expr]] = {}
    for node in module.nodes(ast.Return):
        if node.value is not None:
            results.setdefault(module.function(node), []).append(node.value)
    chosen = [f for f in functions if takes[f] or module.function(f) is None]
    makes = {f: {owner for expr in results.get(f, ()) for owner in _made_in(module, records, expr)} for f in chosen}
    for init, made in makes.items():
        if takes[init] or len(made) != 1 or module.function(init) is not None:
            continue
        for update in functions:
            states = [argument for argument, owner in takes[update] if owner in made]
            if len(states) == 1 and makes[update] & made:
                yield Pair(init, update, states[0])


def _annotated(records: Records, parameter: ast.arg) -> ast.ClassDef | None:
    return records.owner(parameter.annotation) if parameter.annotation is not None else None


def _made_in(module: Module, records: Records, expr: ast.expr) -> Iterator[ast.ClassDef]:
    """The class of what is returned, or of a part of a tuple that is: as it stands, or bound to a name once."""
    for part in expr.elts if isinstance(expr, ast.Tuple) else (expr,):
        made = module.only_value(part) or part
        owner = records.owner(made.func) if isinstance(made, ast.Call) else None
        if owner is not None:
            yield owner
        elif isinstance(made, ast.Call) and (changed := records.changed(made)) is not None:
            yield from _class_of_parameter(module, records, changed)


def _class_of_parameter(module: Module, records: Records, expr: ast.expr) -> Iterator[ast.ClassDef]:
    if isinstance(expr, ast.Name) and (scope := module.scope_of(expr.id, expr)) is not None:
        for binding in module.bindings(expr.id, scope):
            if isinstance(binding.node, ast.arg) and (owner := _annotated(records, binding.node)) is not None:
                yield owner


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


def _arguments_of(function: ast.FunctionDef) -> tuple[ast.arg, ...]:
    return tuple(parameters_of(function.args))


def _state_parameter(update: Function) -> ast.arg | None:
    named = [a for a in parameters_of(update.args) if "state" in a.arg]
    return named[0] if len(named) == 1 else None
