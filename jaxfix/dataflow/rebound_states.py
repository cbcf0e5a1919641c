"""States of training loops: names that a loop binds anew to what a jitted function makes of them."""

import ast
from collections.abc import Iterator

from jaxfix.dataflow.def_use import Origins
from jaxfix.dataflow.induction import calls_in_loops
from jaxfix.semantic.module import Module
from jaxfix.semantic.records import Key
from jaxfix.source.frozen import frozen
from jaxfix.staging.jit import jitted_by_decorator
from jaxfix.syntax.nodes import Function, walk
from jaxfix.syntax.signatures import argument_values


@frozen
class Rebinding:
    """`name = step(name, ...)` in a loop, where `step` is a jitted function of the module.

    Attributes:
      place: where the new value is in what `call` returns; empty for all of it.
      firsts: what the name is bound to before the loop.
    """

    target: ast.Name
    call: ast.Call
    function: Function
    place: tuple[Key, ...]
    firsts: tuple[ast.expr, ...]


def rebindings(module: Module, origins: Origins) -> Iterator[Rebinding]:
    """The states of training loops: what a loop passes to a jitted function, and binds to its result.

    Returns:
      In the order of the text; one without a known value before the loop is left out.
    """
    for call in module.get(calls_in_loops):
        if not isinstance(module.parent(call), ast.Assign) or not module.loops(call):
            continue
        function = origins.called(call)
        if function is None or not _is_jitted(module, origins, call, function):
            continue
        for target, place in _targets(module, call):
            firsts = tuple(_firsts(module, target, call))
            if firsts:
                yield Rebinding(target, call, function, place, firsts)


def _targets(module: Module, call: ast.Call) -> Iterator[tuple[ast.Name, tuple[Key, ...]]]:
    arguments = argument_values(call)
    passed = {name.id for argument in arguments for name in walk(argument) if isinstance(name, ast.Name)}
    match module.parent(call):
        case ast.Assign(targets=[ast.Name() as target]) if target.id in passed:
            yield target, ()
        case ast.Assign(targets=[ast.Tuple(elts=elts)]) if not any(isinstance(e, ast.Starred) for e in elts):
            for position, element in enumerate(elts):
                match element:
                    case ast.Name(id=name) if name in passed:
                        yield element, (position,)
                    case ast.Tuple(elts=inner):
                        for place, part in enumerate(inner):
                            if isinstance(part, ast.Name) and part.id in passed:
                                yield part, (position, place)


def _firsts(module: Module, target: ast.Name, call: ast.Call) -> Iterator[ast.expr]:
    """The values that the name has at first: those outside of the loop, and those that a loop around it gives it."""
    loop = module.loops(call)[0]
    for binding in module.bindings(target.id, module.scope_of(target.id, target)):
        value = module.value_of(binding.node) if isinstance(binding.node, ast.Name) else None
        if value is not None and value is not call and loop not in module.loops(value):
            yield value


def _is_jitted(module: Module, origins: Origins, call: ast.Call, function: Function) -> bool:
    """Whether it was found through the `jit` around it, or has one on it."""
    return origins.jitted(call) is not None or jitted_by_decorator(module, function) is not None
