"""Functions that `jax.vmap` has made, and that are called eagerly and repeatedly."""

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from jaxfix.api import Code, Declined, Module, Reason, Recipe, Rewriter, Staging, frozen, jitted_by_decorator
from jaxfix.api.analysis import (
    ArgumentKind,
    Callers,
    Demands,
    Form,
    Passing,
    Values,
    callers,
    demands,
    is_eager_at,
    parameters_of,
)
from jaxfix.api.library import Transform, where
from jaxfix_codemods.jitting.whole import LOOPS, check_made_once, check_plain
from jaxfix_codemods.unjitted_update.device import Likely
from jaxfix_codemods.unjitted_update.glue import is_short, runs_in_program

_BATCHING = where(Transform.BATCHES) - where(Transform.FILTERS)
_BINDING = where(Transform.BINDS)
_ENOUGH = 2
"""Operations that are worth a program: to map them again at each call costs more than they do."""
_READ = (ast.FunctionDef, ast.Lambda)


@frozen
class Mapped:
    """A function that maps another one.

    Attributes:
      made: the function with the decorator, or the call that makes it.
      mapped: the call of `vmap`, if it is given how to map.
      inside: the function that it maps.
      uses: what is done with it.
    """

    name: str
    made: ast.FunctionDef | ast.Call
    mapped: ast.Call | None
    inside: ast.FunctionDef | ast.Lambda
    uses: Callers

    def looped(self, module: Module) -> ast.AST | None:
        """What calls it eagerly and repeatedly: a call of this file, else the function, which another file calls."""
        staging = module.get(Staging)
        around = module.function(self.made)
        for call in self.uses.calls:
            if around is not None and not (module.function(call) is around and module.loops(call)):
                continue  # it is created as often as it is called
            loop = (staging.round_about(call) or (call,))[-1]
            repeats = staging.repeats(call) or (bool(module.loops(call)) and runs_in_program(module, call))
            if repeats and not is_short(module, loop):
                return call
        project = module.surroundings.project
        for use in self.uses.outside if self.uses.is_looped_outside else ():
            if use.call is not None and (use.call.looped or use.repeats) and is_eager_at(project, use):
                return self.made
        return None

    def is_worth_it(self, module: Module) -> bool:
        """Whether it does enough to be worth a program."""
        return module.get(Likely).of_function(self.inside) >= _ENOUGH


def every_mapped(module: Module) -> Iterator[Mapped]:
    """The functions that `vmap` makes, by a decorator or by name, and that are not jitted."""
    for function in module.nodes(ast.FunctionDef):
        match function:
            case ast.FunctionDef(decorator_list=[only]) if _maps(module, only) and module.method_of(function) is None:
                how = only if isinstance(only, ast.Call) else None
                yield Mapped(function.name, function, how, function, callers(module, function))
    for name, value in module.names.assigned if module.names.may_name(_BATCHING) else ():
        if isinstance(value, ast.Call) and module.qualname(value.func) in _BATCHING and value.args:
            inside = _inside(module, value.args[0])
            if inside is not None and module.names.only_binding(name) is not None:
                yield Mapped(name.id, value, value, inside, callers(module, name))


def cure(module: Module, values: Values, found: Mapped) -> Recipe:
    """Puts it under `jit`.

    Raises:
      Declined: it may do something else there.
    """
    _check_place(module, found)
    asked = demands(module, found.inside)
    is_known = found.made is found.inside or _is_jitted(module, found.inside)
    if asked.reason is not None and not (asked.reason.code is Code.DECORATED and is_known):
        raise Declined(asked.reason.restated(f"`{found.name}` cannot be traced: {asked.reason}"))
    _check_bound(module, values, found)
    for name in _unmapped(module, found):
        _check_unmapped(found.name, name, asked)
    _check_calls(module, values, found)
    return partial(_put_under_jit, found)


def _is_jitted(module: Module, inside: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether what is mapped is jitted by its only decorator, with data alone: `vmap` traces it again at each call."""
    if isinstance(inside, ast.Lambda) or len(inside.decorator_list) != 1:
        return False
    found = jitted_by_decorator(module, inside)
    return found is not None and found.jit.static == () and found.jit.donated == ()


def _check_place(module: Module, found: Mapped) -> None:
    name, statement = found.name, module.statement(found.made)
    if not found.uses.is_closed():
        raise Declined(
            Reason(Code.ESCAPES, f"other files may call `{name}`, with arguments that `jit` does not accept")
        )
    if any(isinstance(outer, LOOPS) for outer in module.loops(statement)):
        raise Declined(Reason(Code.RECOMPILES, f"`{name}` is created in every iteration, and would compile each time"))
    check_made_once(module, statement)
    for use in found.uses.others:
        text = f"`{name}` is passed on in line {use.lineno}, to code that may need it without `jit`"
        raise Declined(Reason(Code.ESCAPES, text, use.lineno))
    for outside in found.uses.outside:
        if outside.call is None:
            text = f"`{name}` is passed on in {outside.at}, to code that may need it without `jit`"
            raise Declined(Reason(Code.ESCAPES, text))


def _check_bound(module: Module, values: Values, found: Mapped) -> None:
    """Refuses arguments that a `partial` binds and that may change: a jitted function reads them once."""
    made: ast.expr | None = found.mapped if found.mapped is found.made else None
    while isinstance(made, ast.Call) and made.args:
        for value in _bound(module, made):
            is_kept = isinstance(value, ast.Constant) or values.of(value).is_array
            if not is_kept and values.of(value).form is not Form.PYTHON:
                text = " ".join(module.text(value).split())
                raise Declined(Reason(Code.UNSTABLE, f"`{found.name}` binds `{text}`, which may change"))
        made = made.args[0]


def _bound(module: Module, made: ast.Call) -> list[ast.expr]:
    """The arguments that a `partial` binds."""
    return [*made.args[1:], *(k.value for k in made.keywords)] if module.qualname(made.func) in _BINDING else []


def _unmapped(module: Module, found: Mapped) -> Sequence[str]:
    """The parameters that are passed on as they are given; all, where that is not written out."""
    made = found.mapped
    if made is None:
        return ()
    is_decorator = made is not found.made  # `@partial(jax.vmap, in_axes=...)`
    names = _given(module, found, None if is_decorator else made.args[0])
    axes = next((keyword.value for keyword in made.keywords if keyword.arg == "in_axes"), None)
    match axes or (None if is_decorator else next(iter(made.args[1:]), None)):
        case None | ast.Constant(value=int()):
            return ()
        case ast.Tuple(elts=elts) if len(elts) <= len(names):
            mapped = [isinstance(each, ast.Constant) and isinstance(each.value, int) for each in elts]
            return [name for name, is_mapped in zip(names, mapped, strict=False) if not is_mapped]
    return names


def _given(module: Module, found: Mapped, bound: ast.expr | None) -> list[str]:
    """The parameters that are not bound by a `partial`."""
    names = [parameter.arg for parameter in parameters_of(found.inside.args)]
    while isinstance(bound, ast.Call):
        if module.qualname(bound.func) in _BINDING:
            named = {keyword.arg for keyword in bound.keywords}
            names = [name for name in names[len(bound.args) - 1 :] if name not in named]
        bound = bound.args[0] if bound.args else None
    return names


def _check_unmapped(function: str, name: str, asked: Demands) -> None:
    if name in asked.values:
        raise Declined(Reason(Code.NEEDS_VALUE, f"`{function}` {asked.values[name]}, and `{name}` is not mapped"))
    if name in asked.called or name in asked.methods:
        raise Declined(Reason(Code.NO_ARRAY, f"`{function}` calls `{name}` or a method of it, and that is not mapped"))


def _check_calls(module: Module, values: Values, found: Mapped) -> None:
    """Refuses arguments that `jit` does not accept, or that are refilled while it may still read them."""
    passing = Passing(module, values)
    calls = [passing.called(found.uses.calls, call, lambda node: "", bound=False) for call in found.uses.calls]
    calls += [use.call for use in found.uses.outside if use.call is not None]
    for call in calls:
        if call.arguments is None:
            raise Declined(Reason(Code.STAR_ARGUMENTS, f"`{found.name}` is called with `*` or `**`"))
        for each in call.arguments:
            if each.sort in (ArgumentKind.TEXT, ArgumentKind.FUNCTION):
                raise Declined(Reason(Code.NO_ARRAY, f"`{found.name}` is passed `{each.text}`, which is not an array"))
            check_plain(each.text, each.plain)
            if each.filled:
                text = f"`{each.text}` is changed in place, perhaps while the jitted function still reads it"
                raise Declined(Reason(Code.MUTATED, text))


def _put_under_jit(found: Mapped, edit: Rewriter) -> None:
    jit = edit.member("jax.jit", prefer="jax", at=found.made)
    if isinstance(found.made, ast.FunctionDef):
        edit.decorate(found.made, jit)
    else:
        edit.wrap(found.made, f"{jit}(", ")")


def _maps(module: Module, decorator: ast.expr) -> bool:
    """Whether a decorator is `vmap`, or a `partial` of it."""
    match decorator:
        case ast.Call(func=func, args=[first]) if module.qualname(func) in _BINDING:
            return module.qualname(first) in _BATCHING
    return module.qualname(decorator) in _BATCHING


def _inside(module: Module, expr: ast.expr) -> ast.FunctionDef | ast.Lambda | None:
    """The function of this file that is mapped, through other maps and what binds some of its arguments."""
    match expr:
        case ast.Lambda():
            return expr
        case ast.Call(func=func, args=[first, *_]) if module.qualname(func) in _BATCHING | _BINDING:
            return _inside(module, first)
    found = module.definition(expr)
    return found if isinstance(found, _READ) else None
