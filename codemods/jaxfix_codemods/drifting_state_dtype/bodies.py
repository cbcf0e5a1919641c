"""Bodies of loops and branches: what they take, and what they return for it."""

import ast
from collections.abc import Iterator

from jaxfix.api import Function, Module, frozen, returned
from jaxfix.api.analysis import WHOLE, Key, Origins, Part, positional_of
from jaxfix.api.library import CONTROL_FLOW, Carry, Parameter


@frozen
class Shape:
    """Where a primitive of JAX has its parts.

    Attributes:
      bodies: the positions of the functions.
      keywords: their names.
      state: which of their positional arguments is the state.
      start: the parameter that takes the first state.
      paired: whether they return a pair, whose first item is the new state.
    """

    bodies: tuple[int, ...]
    keywords: tuple[str, ...]
    state: int
    start: Parameter
    paired: bool = False


def _loop(body: Parameter, carry: Carry) -> Shape:
    return Shape((body.position,), (body.name,), carry.index, carry.initial, paired=carry.paired)


LOOPS = {name: _loop(row.calls[-1], row.carry) for name, row in CONTROL_FLOW.items() if row.carry}
BRANCHES = {
    name: Shape(tuple(c.position for c in row.calls), tuple(c.name for c in row.calls), 0, row.operands)
    for name, row in CONTROL_FLOW.items()
    if row.operands
}


@frozen
class Body:
    """A function that takes a state and returns the next one.

    Attributes:
      state: the parameter that takes it.
      results: the expressions that stand for the new state in what is returned.
      parts: what every result puts into each field, key or position; the part of the state itself where it is left.
      owner: the class of the state, if it is one of this file that declares fields.
    """

    function: Function
    state: ast.arg
    results: tuple[ast.expr, ...]
    parts: tuple[dict[Key, tuple[ast.AST, ...]], ...]
    owner: ast.ClassDef | None

    @property
    def name(self) -> str:
        return "the lambda" if isinstance(self.function, ast.Lambda) else f"`{self.function.name}`"


def bodies(module: Module, call: ast.Call, shape: Shape) -> Iterator[Body | None]:
    """The bodies or branches of `call`, None for one that cannot be read."""
    for use in _functions(call, shape):
        yield _body(module, use, shape)


def start(call: ast.Call, shape: Shape) -> ast.expr | None:
    """The first state, or what a branch is passed."""
    position, name = shape.start.position, shape.start.name
    named = [keyword.value for keyword in call.keywords if keyword.arg == name]
    return named[0] if named else call.args[position] if len(call.args) > position else None


def _functions(call: ast.Call, shape: Shape) -> Iterator[ast.expr]:
    given = [call.args[position] for position in shape.bodies if position < len(call.args)]
    given += [keyword.value for keyword in call.keywords if keyword.arg in shape.keywords]
    for function in given:
        yield from function.elts if isinstance(function, ast.List | ast.Tuple) else (function,)


def _body(module: Module, use: ast.expr, shape: Shape) -> Body | None:
    skipped = 0
    while isinstance(use, ast.Call) and module.qualname(use.func) == "functools.partial" and use.args:
        skipped, use = skipped + len(use.args) - 1, use.args[0]
    function = module.definition(use)
    if function is None or isinstance(function, ast.AsyncFunctionDef) or _is_decorated(function):
        return None
    parameters = positional_of(function.args)[skipped:]
    if len(parameters) <= shape.state:
        return None
    state = parameters[shape.state]
    results = tuple(_results(function, paired=shape.paired))
    origins = Origins(module, frozenset({state}))
    sources = [source for result in results for source in origins.of(_bound_anew(module, function, state, result))]
    read = [_parts(origins, source) for source in sources]
    parts = tuple(found for found in read if found is not None)
    if not parts or len(parts) < len(read):
        return None
    owners = {origins.made_class(source) for source in sources} - {None}
    return Body(function, state, results, parts, owners.pop() if len(owners) == 1 else None)


def _bound_anew(module: Module, function: Function, state: ast.arg, result: ast.expr) -> ast.expr:
    """What `result` stands for if it is the name of the state, and the body binds that once to another one."""
    if isinstance(result, ast.Name) and result.id == state.arg:
        others = [b.node for b in module.bindings(state.arg, function) if b.node is not state]
        value = module.value_of(others[0]) if len(others) == 1 and isinstance(others[0], ast.Name) else None
        return value or result
    return result


def _results(function: Function, *, paired: bool) -> Iterator[ast.expr]:
    for result in returned(function):
        match result:
            case ast.Tuple(elts=[new, _]) if paired:
                yield new
            case _ if paired:
                return  # a pair that is made elsewhere
            case _:
                yield result


def _parts(origins: Origins, source: ast.AST) -> dict[Key, tuple[ast.AST, ...]] | None:
    """What one result is made of; None where that cannot be read."""
    if isinstance(source, Part):
        return {source.key: (source,)}
    changed = origins.changed(source)
    if changed is not None and isinstance(source, ast.Call):
        kept = all(isinstance(old, Part) and old.key == WHOLE for old in origins.of(changed))
        return {k.arg: origins.of(k.value) for k in source.keywords if k.arg} if kept else None
    parts = origins.parts(source)
    if parts:
        return {key: origins.of(part) for key, part in parts}
    is_value = isinstance(source, ast.BinOp | ast.UnaryOp | ast.Call | ast.Constant)
    return {WHOLE: (source,)} if is_value else None


def _is_decorated(function: Function) -> bool:
    return not isinstance(function, ast.Lambda) and bool(function.decorator_list)
