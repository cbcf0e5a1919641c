"""What the uses of a function in its file pass to one of its parameters."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from jaxfix.api import Module, frozen
from jaxfix.api.analysis import callers, positional_of, transform_of
from jaxfix.api.library import Transform, where

_COMPILING = where(Transform.COMPILES)
_STAGES = _COMPILING | where(Transform.CONTROL_FLOW)
_BINDING = where(Transform.BINDS)
_SAME_ARGUMENTS = (where(Transform.ONLY_VALUES) | where(Transform.SAME_RESULT)) - _BINDING
TRACED = ast.Pass()
"""What is passed under a trace, by code that does not spell it out."""


def passed(module: Module, parameter: ast.arg, *, through_jit: bool = False) -> tuple[ast.AST, ...]:
    """The expressions that the uses of a function pass to `parameter`, or `TRACED` for what a transformation passes.

    Args:
      through_jit: what calls of the jitted function pass, before a trace takes it.

    Returns:
      Empty where there is no use, or one of them is not understood.
    """
    arguments = module.parent(parameter)
    function = module.parent(arguments) if arguments is not None else None
    if not isinstance(function, ast.FunctionDef) or module.method_of(function) is not None:
        return ()
    positional = positional_of(function.args)
    if parameter not in positional:
        return ()
    found = [*_Uses(module, parameter.arg, positional.index(parameter), through_jit).of(function)]
    return tuple(each for each in found if each is not None) if None not in found else ()


@frozen
class _Uses:
    """What the uses of a function pass to a parameter, which is the one of that `place` in a call."""

    module: Module
    name: str
    place: int
    through_jit: bool

    def find(self, call: ast.Call) -> ast.expr | None:
        if any(isinstance(each, ast.Starred) for each in call.args[: self.place + 1]):
            return None
        if self.place < len(call.args):
            return call.args[self.place]
        return next((keyword.value for keyword in call.keywords if keyword.arg == self.name), None)

    def of(self, named: ast.FunctionDef | ast.Name) -> Iterator[ast.AST | None]:
        used = callers(self.module, named)
        yield from map(self.find, used.calls)
        for other in used.others:
            yield from self._of_other(other)

    def _of_other(self, function: ast.expr) -> Iterator[ast.AST | None]:
        """The same of a function that is passed to a transformation, or called with what one has made of it."""
        module = self.module
        match module.parent(function):
            case ast.Call(func=made) as call if made is function:
                yield self.find(call)
            case ast.Assign(targets=[ast.Name() as name]) if module.only_binding(name) is not None:
                yield from self.of(name)
            case ast.Call(func=ast.Name() | ast.Attribute() as taker) as call if function in call.args:
                by = transform_of(module, taker) or ""
                is_bound = by in _BINDING and call.args[0] is function
                yield from self._of_partial(call) if is_bound else self._of_transformed(by, call)
            case _:
                yield None

    def _of_transformed(self, by: str, call: ast.Call) -> Iterator[ast.AST | None]:
        is_plain = not any("static" in (keyword.arg or "static") for keyword in call.keywords)
        is_staged = by in _STAGES and not (self.through_jit and by in _COMPILING)
        if is_staged or (by in _STAGES and not is_plain):
            yield TRACED if is_plain else None
        elif by in _SAME_ARGUMENTS:
            yield from self._of_other(call)
        else:
            yield None

    def _of_partial(self, call: ast.Call) -> Iterator[ast.AST | None]:
        """The same of what `functools.partial` binds, and of what it leaves to the calls of the result."""
        bound = ast.Call(call.func, call.args[1:], call.keywords)
        given = self.find(bound)
        if given is not None:
            yield given
            return
        is_hidden = any(isinstance(each, ast.Starred) for each in call.args) or None in [k.arg for k in call.keywords]
        yield from [None] if is_hidden else replace(self, place=self.place - len(bound.args))._of_other(call)
