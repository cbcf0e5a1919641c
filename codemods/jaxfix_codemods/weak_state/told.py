"""Weakly typed parts of states of which a run has seen that they come back strongly typed, wherever that is."""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.api import Module, returned
from jaxfix.api.analysis import ANY_PART, DEFAULT, Drift, Dtypes, Key, Kind, Records, Values
from jaxfix_codemods.weak_state.leaves import KINDS, Leaf, is_weak
from jaxfix_codemods.weak_state.updates import Updated

_KIND_OF = {"float": Kind.FLOAT, "int": Kind.INT}
_CONSTRUCTIONS = (ast.Dict, ast.Tuple, ast.Call)


def told(module: Module, values: Values) -> Iterator[tuple[Drift, Leaf]]:
    """What this file makes for the parts that a run has seen drift, where one place alone comes into question."""
    for drift in module.surroundings.drifts:
        if drift == ANY_PART:
            yield from ((drift, _leaf((), expr, kind)) for expr, kind in _anywhere(module, values))
        kind = next((kind for word, kind in _KIND_OF.items() if drift.dtype.startswith(word)), None)
        path = drift.path
        if kind is None or path is None:
            continue
        made = _parts(module, values, path[-1]) if path else _variables(module, values, drift) if drift.is_here else ()
        weak = [expr for expr in dict.fromkeys(made) if _is_weak(values, expr, kind)]
        if len(weak) == 1:
            yield drift, _leaf(path or (drift.name,), weak[0], kind)


def _leaf(path: tuple[Key, ...], made_by: ast.expr, kind: Kind) -> Leaf:
    return Leaf(path, made_by, kind, Updated(kind, Dtypes(own=frozenset({DEFAULT}))))


def _anywhere(module: Module, values: Values) -> Iterator[tuple[ast.expr, Kind]]:
    """The weak arrays that constructions of this file hold."""
    parts = (part for kind in _CONSTRUCTIONS for node in module.nodes(kind) for _, part in values.origins.parts(node))
    for expr in dict.fromkeys(made for part in parts for made in _made(values, part) if isinstance(made, ast.Call)):
        yield from ((expr, kind) for kind in KINDS if _is_weak(values, expr, kind))


def _is_weak(values: Values, expr: ast.expr, kind: Kind) -> bool:
    value = values.any_of((expr,))
    return value.kind is kind and kind in KINDS and is_weak(expr, value.form)


def _parts(module: Module, values: Values, key: Key) -> Iterator[ast.expr]:
    """What constructions of this file put at `key`, and what its classes do where nothing is passed."""
    for construction in _CONSTRUCTIONS:
        for node in module.nodes(construction):
            yield from (made for k, part in values.origins.parts(node) if k == key for made in _made(values, part))
    for owner, fields in module.get(Records).fields.items():
        if key in fields:
            yield from _defaults(module, owner, key)


def _made(values: Values, part: ast.expr) -> Iterable[ast.expr]:
    return [source for source in values.origins.of(part) if isinstance(source, ast.expr)]


def _defaults(module: Module, owner: ast.ClassDef, field: Key) -> Iterator[ast.expr]:
    """The value of a field that is not passed: written as it is, or made by a `default_factory`."""
    for statement in owner.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call(keywords=keywords)) if name == field:
                given = [k.value for k in keywords if k.arg in ("default", "default_factory")]
                yield from (value.body if isinstance(value, ast.Lambda) else value for value in given)


def _returned(values: Values, call: ast.Call, place: int) -> Iterator[ast.expr]:
    """What a function of this file returns at one place of a tuple."""
    function = values.origins.called(call)
    results = returned(function) if function is not None else ()
    for source in (source for result in results for source in _made(values, result)):
        yield from (made for k, part in values.origins.parts(source) if k == place for made in _made(values, part))


def _variables(module: Module, values_of: Values, drift: Drift) -> Iterator[ast.expr]:
    """What variables of that name start as."""
    for name in module.names.by_id.get(drift.parameter, ()):
        match module.parent(name), module.statement(name):
            case ast.Tuple(elts=names), ast.Assign(targets=[ast.Tuple() as target], value=ast.Tuple(elts=values)):
                if target is module.parent(name) and len(names) == len(values):
                    yield values[names.index(name)]
            case ast.Tuple(elts=names), ast.Assign(targets=[ast.Tuple() as target], value=ast.Call() as call):
                if target is module.parent(name):
                    yield from _returned(values_of, call, names.index(name))
            case _ if isinstance(name.ctx, ast.Store) and (value := module.value_of(name)) is not None:
                yield value
