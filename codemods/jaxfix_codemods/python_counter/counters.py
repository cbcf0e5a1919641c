"""Python numbers that change from call to call and are part of the program that they are passed to."""

import ast
from collections.abc import Iterator

from jaxfix.api import Jit, Module, Staging, frozen, jit_of
from jaxfix.api.analysis import Argument, Number, argument_values, induction
from jaxfix.api.library import Class, Transform, where

FILTERING = where(Transform.FILTERS)
"""What traces arrays, and takes everything else as it is."""
_MODULES = where(Class.MODULE)


@frozen
class Counter:
    """A number in the arguments of a jitted function.

    Attributes:
      call: of the function; `jit` is what is known of it.
      key: the position or keyword of the argument, `argument` all of it.
      number: the expression of the number itself.
      kind: how the number changes.
      holder: the class whose field it becomes; None where it is an argument, or in a container.
    """

    call: ast.Call
    jit: Jit
    key: Argument
    argument: ast.expr
    number: ast.expr
    kind: Number
    holder: str | None = None

    @property
    def is_static(self) -> bool:
        """Whether the argument is static by choice, and not because it is not an array."""
        return self.jit.by not in FILTERING


def counters(module: Module) -> Iterator[Counter]:
    """The numbers that change from call to call, in the order of the text."""
    for call in module.get(induction.calls_in_loops):
        found = jit_of(module, call.func)
        changing = list(_changing(module, call)) if found is not None else []
        if found is None or not changing or module.get(Staging).is_staged(call):
            continue
        for key, argument, number, kind, holder in changing:
            is_whole = number is argument and found.is_static(key) is True
            if found.by in FILTERING or is_whole:
                yield Counter(call, found, key, argument, number, kind, holder)


def _changing(module: Module, call: ast.Call) -> Iterator[tuple[Argument, ast.expr, ast.expr, Number, str | None]]:
    """The numbers in the arguments of a call that change in each iteration of a loop around it."""
    for key, argument in arguments(call):
        for number, holder in _parts(module, argument):
            kind = induction.number(module, number, call)
            if kind is not None and kind.changes:
                yield key, argument, number, kind, holder


def arguments(call: ast.Call) -> list[tuple[Argument, ast.expr]]:
    """The arguments whose place is known: those before a `*`, and the named ones."""
    found: list[tuple[Argument, ast.expr]] = []
    for position, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            break
        found.append((position, argument))
    return found + [(k.arg, k.value) for k in call.keywords if k.arg is not None]


def _parts(module: Module, argument: ast.expr) -> Iterator[tuple[ast.expr, str | None]]:
    """What may be a number in an argument: itself, or a part of a container or of a module that is made there."""
    match argument:
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for element in elts:
                yield from _parts(module, element)
        case ast.Dict(values=values):
            for value in values:
                yield from _parts(module, value)
        case ast.Call(func=ast.Name(id=name) as func) if _is_module(module, func):
            for value in argument_values(argument):
                yield from ((part, name) for part, _ in _parts(module, value))
        case _:
            yield argument, None


def _is_module(module: Module, name: ast.Name) -> bool:
    match module.bindings(name.id, module.scope_of(name.id, name)):
        case (binding,) if isinstance(binding.node, ast.ClassDef):
            return any(module.qualname(base) in _MODULES for base in binding.node.bases)
    return False
