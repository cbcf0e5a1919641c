"""A large array captured by a jitted function, compiled into its program as a constant.

An array captured by a jitted function is a constant: XLA copies it into each program, may fold computations with it at
compile time, and keeps it as long as the program. Passed as an argument, it is not copied. A run shows the size: the
probe reads the constants of each program that jax lowers, as jax's own report does above 2 GB.

Before:
    import jax
    import jax.numpy as jnp

    table = jnp.sin(jnp.arange(600.0 * 600.0)).reshape(600, 600)

    @jax.jit
    def advance(x):
        return jnp.tanh(x + table)

    x = jnp.zeros((600, 600))
    for step in range(3):
        x = advance(x)
    print(x.sum())

After:
    import jax
    import jax.numpy as jnp

    table = jnp.sin(jnp.arange(600.0 * 600.0)).reshape(600, 600)

    @jax.jit
    def _advance(x, table):
        return jnp.tanh(x + table)


    def advance(x):
        return _advance(x, table)

    x = jnp.zeros((600, 600))
    for step in range(3):
        x = advance(x)
    print(x.sum())

Safety: needs a rerun. A constant is read once, at the first call; an argument is read at each call. So a variable
that is bound again after the function is made is declined, and so is a NumPy array, which may be refilled. A program
keeps its constant after the array is deleted, while a call with a deleted argument raises: arrays that another file
receives, or that this file deletes or may donate, are declined. A caller of the function that makes the jitted
function may still delete what it passed.

Declined too: computations of the constant alone, which XLA does once at compile time; and functions of which some
file uses the jitted form, such as `lower`. Only arrays of at least 1 MiB count, and containers of arrays. The
function keeps its name and parameters for its callers. Under an outer `jit` the array is a constant of the outer
program, and nothing changes.

Evidence: the constants of all programs take at least 1 MiB less, with results equal bit for bit and no more compiles.
The fix is refused if XLA rounds differently without knowing the values, or if a warm call takes 1.5 times, and 0.2
ms, as long each time, since XLA may have rearranged the constant while compiling.

Source: https://github.com/jax-ml/jax/issues/10596; `jax_captured_constants_warn_bytes`,
of jax 0.7 and later, warns of such constants.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Function,
    Module,
    Proves,
    Reason,
    Safety,
    frozen,
    jit_of,
    jitted_by_decorator,
)
from jaxfix.api.analysis import (
    ANYTHING,
    Held,
    Note,
    Values,
    compiled_function,
    is_taken_elsewhere,
    statement_at,
    traced_uses,
    why_unstable,
)
from jaxfix.api.library import Effect, short_names
from jaxfix_codemods.captured_constant.passing import check_function, pass_on

_NAME = re.compile(r"[^\W\d]\w*")
_DELETING = short_names(Effect.DELETES)
_KINDS_OF = ("isinstance", "type")
_MAKERS = ("jax.numpy.", "jax.random.", "jax.lax.", "jax.nn.", "jax.device_put")


@frozen
class Captured:
    """The constants of one function that one variable holds.

    Attributes:
      variable: None where no variable of the function is known to hold them.
      held: the largest first.
    """

    variable: str | None
    held: tuple[Held, ...]


def find(module: Module) -> Iterator[Finding]:
    for function, some in _by_function(module).items():
        yield from _findings(module, function, some)


def _by_function(module: Module) -> dict[Function | None, list[Held]]:
    found: dict[Function | None, list[Held]] = {}
    for each in module.held:
        if each == ANYTHING:
            found |= {function: list(some) for function, some in _conceivable(module)}
        elif each.noted.note is Note.CAPTURED:
            found.setdefault(compiled_function(module, each), []).append(each)
    return found


def _conceivable(module: Module) -> Iterator[tuple[Function, Iterator[Held]]]:
    """The functions under `jit`, each with what a run could show of it."""
    for function in module.functions:
        captures = module.captures(function) if jitted_by_decorator(module, function) is not None else None
        if captures is not None:
            names = sorted(captures.free | captures.globals)
            arrays = (name for name in names if any(_is_array(module, use) for use in _uses(module, function, name)))
            yield function, (replace(ANYTHING, noted=replace(ANYTHING.noted, name=name)) for name in arrays)


def _is_array(module: Module, value: ast.AST) -> bool:
    """Whether it is likely a jax array, or a container of such."""
    values = module.get(Values)
    return values.of(value).is_array or any(_makes_array(module, each) for each in values.origins.of(value))


def _makes_array(module: Module, value: ast.AST) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(value=owner)) if module.qualname(value.func) is None:
            return module.get(Values).of(owner).is_array or _makes_array(module, owner)  # by a method, as `reshape`
        case ast.Call(func=func):
            return (module.qualname(func) or "").startswith(_MAKERS)
        case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return bool(parts) and all(
                module.get(Values).of(part).is_array or _makes_array(module, part) for part in parts
            )
    return False


def _findings(module: Module, function: Function | None, some: Sequence[Held]) -> Iterator[Finding]:
    passed: list[Captured] = []
    for each in _by_variable(some):
        try:
            _check(module, function, each)
        except Declined as declined:
            yield _finding(module, function, [each], declined=declined.reason)
        else:
            passed.append(each)
    if not passed:
        return
    assert isinstance(function, ast.FunctionDef)
    names = tuple(each.variable for each in passed if each.variable is not None)
    yield _finding(module, function, passed, recipe=partial(pass_on, module, function, names))


def _by_variable(some: Sequence[Held]) -> list[Captured]:
    groups: dict[str | None, list[Held]] = {}
    for each in some:
        name = _NAME.match(each.noted.name or "")
        groups.setdefault(name[0] if name is not None else None, []).append(each)
    return [Captured(variable, tuple(held)) for variable, held in groups.items()]


def _finding(module: Module, function: Function | None, found: Sequence[Captured], **outcome: object) -> Finding:
    variables = [each.variable for each in found if each.variable is not None]
    what = " and ".join(f"`{each}`" for each in variables) or "an array"
    held = [one for each in found for one in each.held]
    size = sum(one.noted.bytes for one in held) / 1e6
    types = held[0].noted.what if len(held) == 1 else f"{len(held)} arrays"
    program = held[0].program.removeprefix("jit(").removesuffix(")")
    verb = "are" if len(variables) > 1 else "is"
    return Finding(
        at=_place(module, function, found[0]),
        message=f"{what} ({types}, {size:.1f} MB) {verb} compiled into the program of `{program}` as a constant",
        title=f"Pass {what} as an argument",
        confidence=Confidence.SEEN,
        **outcome,  # type: ignore[arg-type]
    )


def _place(module: Module, function: Function | None, each: Captured) -> ast.AST:
    """The first read of the variable in the function; else what is on the line of the run."""
    uses = [] if function is None or each.variable is None else _uses(module, function, each.variable)
    if uses:
        return min(uses, key=lambda use: (use.lineno, use.col_offset))
    return statement_at(module, each.held[0].noted.line) or function or module.tree


def _uses(module: Module, function: Function, name: str) -> list[ast.Name]:
    return list(traced_uses.uses(module, function, name))


def _check(module: Module, function: Function | None, each: Captured) -> None:
    """Refuses what differs, or costs more, as an argument.

    Raises:
      Declined: it is.
    """
    noted = each.held[0].noted
    if function is None or each.variable is None:
        raise Declined(
            Reason(
                Code.UNREAD, "which variable holds it is unknown: another function reads it, or it is made in this one"
            )
        )
    if any(one.noted.is_host for one in each.held):
        put = f"`{each.variable}` is host data: put it on the device once, by `jnp.asarray`, and pass that"
        raise Declined(Reason(Code.COST, put))
    if not noted.is_tree:
        raise Declined(Reason(Code.NO_ARRAY, f"`{each.variable}` holds other things than arrays"))
    folded = next((one.noted.folded for one in each.held if one.noted.folded is not None), None)
    if folded is not None:
        computed = f"`{folded}` of it is computed once, by XLA as it compiles; of an argument, at each call"
        raise Declined(Reason(Code.COST, computed))
    uses = _uses(module, function, each.variable)
    if not uses:
        raise Declined(Reason(Code.UNREAD, f"a function that it calls reads `{each.variable}`"))
    scope = module.scope_of(each.variable, uses[0])
    _check_bindings(module, function, each, scope)
    _check_given_away(module, each.variable, scope)
    is_mask = any(one.noted.what.startswith("bool[") for one in each.held)
    for use in uses:
        _check_use(module, function, use, is_mask=is_mask)
    check_function(module, function)


def _check_bindings(module: Module, function: Function, each: Captured, scope: ast.AST | None) -> None:
    """Refuses what may be another array at a later call, after the function was made."""
    if scope is None or each.variable is None:
        raise Declined(Reason(Code.UNREAD, "where it is bound is unknown"))
    reason = why_unstable(module, each.variable, scope, since=function)
    if reason is not None:
        raise Declined(reason.restated(f"{reason}: the program keeps the array of its first call"))


def _check_given_away(module: Module, variable: str, scope: ast.AST | None) -> None:
    """Refuses what may be deleted or donated: a program continues with its constant, and finds an argument gone."""
    own, project = module.surroundings.name, module.surroundings.project
    if scope is module.tree and own is not None and is_taken_elsewhere(project, f"{own}.{variable}"):
        raise Declined(Reason(Code.ESCAPES, f"another file receives `{variable}`, and may delete or donate it"))
    for use in module.reads(variable, scope):
        match module.parent(use):
            case ast.Attribute(attr=attr) if attr in _DELETING:
                raise Declined(Reason(Code.ESCAPES, f"line {use.lineno} deletes `{variable}`", use.lineno))
            case ast.Call(func=func) if (jit := jit_of(module, func)) is not None and jit.donated != ():
                raise Declined(Reason(Code.ESCAPES, f"line {use.lineno} may donate `{variable}`", use.lineno))


def _check_use(module: Module, function: Function, use: ast.Name, *, is_mask: bool) -> None:
    if is_mask and any(isinstance(outer, ast.Subscript) for outer in _expressions(module, use)):
        raise Declined(
            Reason(Code.NEEDS_VALUE, f"line {use.lineno} uses it as a mask, which a tracer cannot be", use.lineno)
        )
    match module.parent(use):
        case ast.Call(func=ast.Name(id=by)) if by in _KINDS_OF:
            raise Declined(Reason(Code.NEEDS_VALUE, f"line {use.lineno} checks its type", use.lineno))
    evaluated = module.function(use)
    if evaluated is not function and function not in module.functions_around(use):
        raise Declined(Reason(Code.SIGNATURE, f"line {use.lineno} reads it where the function is made", use.lineno))


def _expressions(module: Module, use: ast.Name) -> Iterator[ast.AST]:
    """The expressions around a read."""
    return takewhile(lambda node: not isinstance(node, ast.stmt), module.ancestors(use))


CODEMOD = Codemod(
    id="captured-constant",
    triggers=("jit",),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    proves=Proves.LESS_DATA,
    notes=(Note.CAPTURED,),
)
