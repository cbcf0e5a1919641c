"""States of training loops: names that a loop rebinds to what a jitted function makes of them."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.dataflow.def_use import Origins
from jaxfix.dataflow.types import Values
from jaxfix.semantic.classes import own_class
from jaxfix.semantic.module import Module
from jaxfix.semantic.records import Key
from jaxfix.source.frozen import frozen
from jaxfix.staging.jit import COMPILING, jitted_by_decorator
from jaxfix.syntax.nodes import Function, walk
from jaxfix.syntax.signatures import argument_values


@frozen
class Rebinding:
    """`name = step(name, ...)` in a loop, or `self.name = self.step(self.name, ...)`, where `step` is jitted.

    Attributes:
      target: the name or the attribute.
      function: the one of the module that is jitted.
      place: where the new value is in what `call` returns; empty for all of it.
      firsts: what it is bound to before.
    """

    target: ast.Name | ast.Attribute
    call: ast.Call
    function: Function
    place: tuple[Key, ...]
    firsts: tuple[ast.expr, ...]

    @property
    def name(self) -> str:
        """Of the variable, or of the attribute."""
        return self.target.id if isinstance(self.target, ast.Name) else self.target.attr


def rebindings(module: Module) -> tuple[Rebinding, ...]:
    """The states of training loops: what a loop passes to a jitted function, and binds to its result.

    Those that an object holds are among them, no matter who calls its method repeatedly.

    Returns:
      In the order of the text; one without a known value before is left out.
    """
    return tuple(_found(module, module.get(Values).origins)) if module.names.may_name(COMPILING) else ()


def _found(module: Module, origins: Origins) -> Iterator[Rebinding]:
    for assigned in module.nodes(ast.Assign):
        call = assigned.value
        if not isinstance(call, ast.Call) or len(assigned.targets) > 1:
            continue
        named = list(_named(assigned.targets[0], ()))
        if named and not module.loops(call):
            named = [each for each in named if isinstance(each[0], ast.Attribute)]
        targets = list(_passed(named, call)) if named else []
        function = origins.called(call) if targets else None
        if function is None or not _is_jitted(module, origins, call, function):
            continue
        for target, place in targets:
            firsts = tuple(_firsts(module, target, call))
            if firsts:
                yield Rebinding(target, call, function, place, firsts)


_Target = tuple[ast.Name | ast.Attribute, tuple[Key, ...]]


def _passed(named: Sequence[_Target], call: ast.Call) -> Iterator[_Target]:
    """Those that the call gets, too."""
    passed = {_name(node) for argument in argument_values(call) for node in walk(argument)}
    yield from (each for each in named if _name(each[0]) in passed)


def _name(node: ast.AST) -> tuple[str, ...] | None:
    """Of a variable, or of an attribute of one."""
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=ast.Name(id=name), attr=attr):
            return (name, attr)
    return None


def _named(target: ast.expr, place: tuple[int, ...]) -> Iterator[_Target]:
    """The names and attributes of objects that a target binds, two levels deep."""
    match target:
        case ast.Name() | ast.Attribute(value=ast.Name()):
            yield target, place
        case ast.Tuple(elts=elts) if len(place) < 2 and not any(isinstance(e, ast.Starred) for e in elts):
            for index, element in enumerate(elts):
                yield from _named(element, (*place, index))


def _firsts(module: Module, target: ast.Name | ast.Attribute, call: ast.Call) -> Iterator[ast.expr]:
    """The values that it has at first: those outside of the loop, and those that a loop around it gives it."""
    loops = module.loops(call)[:1]
    for node in _bound(module, target):
        value = module.value_of(node) if isinstance(node, ast.Name | ast.Attribute) else None
        if value is not None and value is not call and (not loops or loops[0] not in module.loops(value)):
            yield value


def _bound(module: Module, target: ast.Name | ast.Attribute) -> Iterator[ast.AST]:
    """The places that bind the variable, or store the attribute of the same object or of one of its class."""
    if isinstance(target, ast.Name):
        yield from (b.node for b in module.bindings(target.id, module.scope_of(target.id, target)))
        return
    owner = own_class(module, target.value)
    for node in module.attributes(target.attr):
        is_same = owner is not None and own_class(module, node.value) is owner
        if isinstance(node.ctx, ast.Store) and is_same:
            yield node


def _is_jitted(module: Module, origins: Origins, call: ast.Call, function: Function) -> bool:
    """Whether it was found through the `jit` around it, or has one on it."""
    return origins.jitted(call) is not None or jitted_by_decorator(module, function) is not None
