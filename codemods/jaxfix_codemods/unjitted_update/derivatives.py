"""What is a derivative of a function, and which functions one is taken of, as the text tells."""

import ast
from collections.abc import Iterator

from jaxfix.api import Function, Module, in_order
from jaxfix.api.analysis import EXISTS, Solver, Values, class_around, family, methods, own_class
from jaxfix.api.library import Transform, where

GRADIENTS = where(Transform.ONLY_VALUES) & where(Transform.DIFFERENTIATES)
_BATCHING = where(Transform.BATCHES)


def is_gradient(module: Module, func: ast.expr) -> bool:
    """Whether `func` computes a derivative: `jax.grad(f)`, `jax.vmap(jax.grad(f))`, or a variable bound to one."""
    return module.get(_gradients)(func)


def makes_gradient(module: Module, made: ast.Call) -> bool:
    """Whether `made` takes a derivative, or maps one over the rows of a batch."""
    name = module.qualname(made.func)
    return name in GRADIENTS or (name in _BATCHING and bool(made.args) and is_gradient(module, made.args[0]))


def is_differentiated(module: Module, func: ast.Name) -> bool:
    """Whether a derivative is taken of what the variable stands for, so that a trace can follow it."""
    scope = module.scope_of(func.id, func)
    return scope is not None and any(_is_argument(module, use) for use in module.reads(func.id, scope))


def gradient_calls(module: Module) -> list[ast.Call]:
    """The calls of what may be a derivative, by the names that those are bound to."""
    made = set(module.calls(*GRADIENTS))
    if made:
        made |= {call for call in module.calls(*_BATCHING) if makes_gradient(module, call)}
    named = {target.id for target, value in module.names.assigned if value in made}
    named |= {target.id for target in module.get(_unpacked)}
    again = {target.id for target, value in module.names.assigned if type(value) is ast.Name and value.id in named}
    at_once = (module.parent(call) for call in made)
    called = {call for call in at_once if isinstance(call, ast.Call) and call.func in made}
    return in_order([*called.union(module.spelled_calls({*named, *again}))])


def functions_behind(module: Module, values: Values, use: ast.expr) -> Iterator[Function]:
    """The functions of this file that `use` may stand for, or be a derivative of, as far as they can be followed."""
    for source in _behind(module, values, use):
        if isinstance(source, ast.FunctionDef | ast.Lambda):
            yield source
        elif isinstance(source, ast.Attribute) and (owner := own_class(module, source.value)) is not None:
            yield from methods(family(module, owner), source.attr)


def objects_behind(module: Module, values: Values, use: ast.expr) -> Iterator[ast.Name]:
    """The objects of whose methods `use` may be a derivative, in methods that take it."""
    for source in _behind(module, values, use):
        match source:
            case ast.Attribute(value=ast.Name() as name) if class_around(module, name) is own_class(module, name):
                yield name


def _behind(module: Module, values: Values, use: ast.expr) -> Iterator[ast.AST]:
    """What `use` may stand for, or be a derivative of."""
    pending, met = [use], set[ast.AST]()
    while pending:
        expr = pending.pop()
        for source in (expr, *values.origins.of(expr)):
            if source in met:
                continue
            met.add(source)
            yield source
            if isinstance(source, ast.Call) and makes_gradient(module, source):
                pending += source.args[:1]
            elif isinstance(source, ast.Name):
                pending += unpacked_from(module, source)


def unpacked_from(module: Module, name: ast.Name) -> list[ast.expr]:
    """What the derivatives are of among which `name` is one: of all that are unpacked together."""
    only = module.names.only_binding(name)
    if only is None or only.node not in module.get(_unpacked):
        return []
    made = module.statement(only.node)
    value = made.value if isinstance(made, ast.Assign) else None
    given = value.args[1:] if isinstance(value, ast.Call) else [value] if value is not None else []
    return [each for display in given for each in getattr(display, "elts", ())]


def _gradients(module: Module) -> Solver[ast.expr, bool]:
    return Solver(lambda func: _computes_one(module, func), EXISTS)


def _computes_one(module: Module, func: ast.expr) -> bool:
    match func:
        case ast.Call():
            return makes_gradient(module, func)
        case ast.Name() if (only := module.names.only_binding(func)) is not None:
            value = module.only_value(func)
            is_made = isinstance(value, ast.Call | ast.Name) and module.get(_gradients)(value)
            return is_made or only.node in module.get(_unpacked)
    return False


def _unpacked(module: Module) -> frozenset[ast.Name]:
    """The targets that several derivatives are unpacked into: `df, dg = map(jax.grad, (f, g))`."""
    return frozenset(_targets(module)) if module.names.may_name(GRADIENTS) else frozenset()


def _targets(module: Module) -> Iterator[ast.Name]:
    for statement in module.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Call() as made) if _maps(module, made):
                yield from (each for each in elts if isinstance(each, ast.Name))
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Tuple(elts=values)) if len(elts) == len(values):
                for target, value in zip(elts, values, strict=True):
                    if isinstance(target, ast.Name) and isinstance(value, ast.Call) and _computes_one(module, value):
                        yield target


def _maps(module: Module, call: ast.Call) -> bool:
    """Whether `call` is `map` of a derivative."""
    match call:
        case ast.Call(func=ast.Name(id="map") as name, args=[ast.Name() | ast.Attribute() as taken, _], keywords=[]):
            return module.scope_of("map", name) is None and module.qualname(taken) in GRADIENTS
    return False


def _is_argument(module: Module, use: ast.Name) -> bool:
    match module.parent(use):
        case ast.Call(func=made_by, args=[first, *_]) if first is use:
            return module.qualname(made_by) in GRADIENTS
        case ast.Tuple() | ast.List() as display:
            call = module.parent(display)
            return isinstance(call, ast.Call) and _maps(module, call)
    return False
