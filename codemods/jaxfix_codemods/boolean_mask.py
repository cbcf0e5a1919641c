"""A reduction over the elements selected by a boolean mask.

The shape of `x[mask]` depends on how many elements the mask selects: for each new shape the gather, the reduction and
what follows compile again. With `where=` the whole array is reduced under the mask, in one program.

Before:
    import jax.numpy as jnp


    def gains(returns):
        return jnp.sum(returns[returns > 0])

After:
    import jax.numpy as jnp


    def gains(returns):
        return jnp.sum(returns, where=returns > 0)

Safety: needs a rerun. The mask must be computed element by element from the array itself, so that it has the same
shape: a mask of rows would select rows, while `where=` would broadcast it along the other axis, silently for a square
array. It must be provably boolean, since integers select by position. If the compared value is not known to be a
number, `jnp.broadcast_to` keeps the mask to the shape of the array, and raises where `x[mask]` raises, with another
message; it rejects masked NumPy arrays, which the receipt says.

Declined: functions that may be traced or are passed on, because `x[mask]` raises under a trace and something may
catch that; `max` and `min`, which raise if nothing is selected; `std` and `var`, whose gradient is NaN if a value
that is left out is. Not reported: reductions with an axis or other arguments, and NumPy arrays, which do not compile.

Elements by their positions, as `x[jnp.nonzero(mask)]`, have as many lengths, and no fix: reported where this surely
runs repeatedly, and elsewhere where a run has compiled for it.

Elements are added in another order: sums and means of floats round differently and agree in double precision;
integers, `any` and `all` keep every bit.

Evidence: fewer compiles; beside the original the results differ by rounding alone, in double precision.

Source: https://docs.jax.dev/en/latest/errors.html#jax.errors.NonConcreteBooleanIndexError and
https://docs.jax.dev/en/latest/_autosummary/jax.numpy.sum.html, for `where=`
"""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Declined,
    Equality,
    Finding,
    Module,
    Reason,
    Rewriter,
    Runs,
    Safety,
    Staging,
    Why,
    frozen,
    jit_of,
)
from jaxfix.api.analysis import (
    EXISTS,
    USERS,
    Form,
    Solver,
    Values,
    callers,
    is_alike,
    is_bound_before,
    is_counted,
    mask,
)
from jaxfix.api.library import Result, members_of, where
from jaxfix_codemods.looping.arrays import Arrays

_ANY = "jax.numpy.any"
_ALL = "jax.numpy.all"
_SUM = "jax.numpy.sum"
_MEAN = "jax.numpy.mean"
_PROD = "jax.numpy.prod"
_MAX = "jax.numpy.max"
_MIN = "jax.numpy.min"
_STD = "jax.numpy.std"
_VAR = "jax.numpy.var"
_EXACT = (_ANY, _ALL)
_ADDING = (_SUM, _MEAN, _PROD)
_RAISING = (_MAX, _MIN)
_SPREADING = (_STD, _VAR)
_REDUCING = (*_EXACT, *_ADDING, *_RAISING, *_SPREADING)
_METHODS = {name.rpartition(".")[2]: name for name in _REDUCING}
_MEMBERS = members_of("jax.Array")
_COUNTED = where(Result.COUNTED)
_BY_HAND = "keep the shape: `jnp.where(mask, x, 0)` and a sum of the mask in place of a length, or pass `size=`"
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context, ast.UnaryOp, ast.USub)


@frozen
class _Reduction:
    """A call such as `jnp.sum(x[mask])` or `x[mask].sum()`, with the name of the function."""

    call: ast.Call
    by: str
    selected: ast.Subscript
    is_method: bool


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    staging = module.get(Staging)
    for reduction in _reductions(module):
        is_mask = mask(module, reduction.selected.slice) is not None
        form = module.get(Values).of(reduction.selected.value).form
        is_known = form in (Form.STRONG, Form.WEAK, Form.ARRAY) or module.get(_computed)(reduction.selected.value)
        is_of_jax = form is not Form.NUMPY and (not reduction.is_method or is_known)
        if not is_mask or not is_of_jax:
            continue
        if not staging.is_staged(reduction.call) and staging.may_repeat(reduction.call):
            yield _finding(module, reduction)
    for call in module.calls(*_COUNTED):
        if _selects(module, call) and not staging.is_staged(call) and staging.may_repeat(call):
            yield _by_positions(module, call)


def _selects(module: Module, call: ast.Call) -> bool:
    """Whether the positions that `call` finds, as many as there are, select elements that are not of NumPy."""
    if not is_counted(module, call) or any(isinstance(each, ast.Starred) for each in call.args):
        return False
    match module.parent(call):
        case ast.Assign(targets=[ast.Name(id=name) as target]):
            found: list[ast.expr] = [*module.reads(name, module.scope_of(name, target))]
        case _:
            found = [call]
    parents = (module.parent(each) for each in found)
    selected = [each.value for each in parents if isinstance(each, ast.Subscript) and each.slice in found]
    values = module.get(Values)
    return any(values.of(each).form is not Form.NUMPY for each in selected)


def _by_positions(module: Module, call: ast.Call) -> Finding:
    staging = module.get(Staging)
    is_sure = staging.is_eager(call) and staging.surely_repeats(call)
    return Finding(
        at=call,
        message=f"what `{module.text(call)}` selects has another length each time: each length compiles again",
        title="Keep the shape, and leave out what is not selected",
        declined=Reason(Code.HINT, _BY_HAND),
        confidence=Confidence.CERTAIN if is_sure else Confidence.POSSIBLE,
        moot=not is_sure,
    )


def _computed(module: Module) -> Solver[ast.expr, bool]:
    return Solver(lambda expr: _is_computed(module, expr), EXISTS)


def _is_computed(module: Module, expr: ast.expr) -> bool:
    """Whether it is what a jax function, or a jitted one, has returned, or an array made of that by its methods."""
    match expr:
        case ast.Name():
            value = module.only_value(expr)
            return value is not None and module.get(_computed)(value)
        case ast.Call(func=ast.Attribute(value=array, attr=attr)) if attr in _MEMBERS:
            return module.get(_computed)(array)
        case ast.Call(func=func):
            return jit_of(module, func) is not None or module.get(Arrays).is_sure(expr)
    return False


def _finding(module: Module, reduction: _Reduction) -> Finding:
    staging = module.get(Staging)
    is_sure = staging.is_eager(reduction.call) and staging.surely_repeats(reduction.call)
    found = partial(
        Finding,
        at=reduction.call,
        message=f"`{module.text(reduction.selected)}` has the length that its mask selects: each length compiles again",
        title="Mask the reduction with `where=`",
        confidence=Confidence.CERTAIN if is_sure else Confidence.POSSIBLE,
        equality=Equality.BITWISE if reduction.by in _EXACT else None,
    )
    try:
        _check(module, reduction)
    except Declined as declined:
        return found(declined=declined.reason)
    return found(recipe=partial(_leave_out, module, reduction))


def _reductions(module: Module) -> Iterator[_Reduction]:
    for call in module.calls(*_REDUCING):
        match call:
            case ast.Call(args=[ast.Subscript() as selected], keywords=[]):
                yield _Reduction(call, module.qualname(call.func) or "", selected, is_method=False)
    for call in module.spelled_calls(_METHODS):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Subscript() as selected, attr=attr), args=[], keywords=[]):
                yield _Reduction(call, _METHODS[attr], selected, is_method=True)


def _check(module: Module, reduction: _Reduction) -> None:
    name = reduction.by.rpartition(".")[2]
    if reduction.by in _RAISING:
        raise Declined(Reason(Code.MAY_FAIL, f"`{name}` raises where nothing is selected, `where=` returns `initial`"))
    if reduction.by in _SPREADING:
        raise Declined(Reason(Code.GRADIENT, f"the gradient of `{name}` is NaN where a value that is left out is"))
    if not module.has_exact_spans(reduction.call):
        raise Declined(Reason(Code.FORMAT_STRING, "it is inside an f-string"))
    array = reduction.selected.value
    if not all(isinstance(node, _PLAIN) for node in ast.walk(array)):
        raise Declined(Reason(Code.STRUCTURE, "the array is computed there, and the mask may have another shape"))
    if not _has_shape_of(module, reduction.selected.slice, array):
        text = (
            "the mask may have fewer dimensions than the array: it would select rows, and `where=` leaves out columns"
        )
        raise Declined(Reason(Code.STRUCTURE, text))
    _check_objects(module, array)
    _check_traces(module, reduction.call)


def _check_objects(module: Module, array: ast.expr) -> None:
    """That it is an array: an object of a class of this file may select otherwise."""
    for owner in module.nodes(ast.ClassDef):
        if "__getitem__" in module.names.bound_in(owner) and not module.get(Values).of(array).is_array:
            text = f"`{module.text(array)}` may be an object of `{owner.name}`, whose `__getitem__` selects"
            raise Declined(Reason(Code.NO_ARRAY, text))


def _check_traces(module: Module, call: ast.Call) -> None:
    """That nothing traces it, where it raises today: what takes the error would be given a value."""
    if Runs.TRACED in module.get(Staging).seen(call):
        raise Declined(
            Reason(Code.MAY_FAIL, "it runs under a trace too, where it raises: something may catch the error")
        )
    function = module.function(call)
    if isinstance(function, ast.FunctionDef) and _is_handed_on(module, function):
        text = f"`{function.name}` is passed on: under a trace it raises, and something may catch the error"
        raise Declined(Reason(Code.MAY_FAIL, text))


def _is_handed_on(module: Module, function: ast.FunctionDef) -> bool:
    name = module.get(Staging).name_for_others(function)
    elsewhere = module.surroundings.project.ask(USERS, name) if name is not None else ()
    return bool(callers(module, function).others) or any(use.call is None for use in elsewhere)


def _has_shape_of(module: Module, mask: ast.expr, array: ast.expr) -> bool:
    """Whether a mask is computed element by element from the array, so that it has its dimensions at least."""
    return module.get(_shaped)((mask, array))


def _shaped(module: Module) -> Solver[tuple[ast.expr, ast.expr], bool]:
    return Solver(lambda asked: _is_shaped(module, *asked), EXISTS)


def _is_shaped(module: Module, mask: ast.expr, array: ast.expr) -> bool:
    match mask:
        case ast.Name():
            made = module.only_value(mask)
            return made is not None and _is_same_there(module, made, array) and _has_shape_of(module, made, array)
        case ast.Compare(left=left, comparators=[right]):
            return is_alike(array, left) or is_alike(array, right)
        case ast.UnaryOp(operand=operand):
            return _has_shape_of(module, operand, array)
        case ast.BinOp(left=left, right=right):
            return any(_has_shape_of(module, side, array) for side in (left, right))
        case ast.Call(func=func, args=[only], keywords=[]):
            return is_alike(only, array) and module.qualname(func) not in _REDUCING
    return False


def _is_of_its_shape(module: Module, mask: ast.expr, array: ast.expr) -> bool:
    """Whether a mask that has the dimensions of the array at least has no others."""
    return module.get(_shaped_alone)((mask, array))


def _shaped_alone(module: Module) -> Solver[tuple[ast.expr, ast.expr], bool]:
    return Solver(lambda asked: _has_no_others(module, *asked), EXISTS)


def _has_no_others(module: Module, mask: ast.expr, array: ast.expr) -> bool:
    match mask:
        case ast.Name():
            made = module.only_value(mask)
            return made is not None and _is_of_its_shape(module, made, array)
        case ast.Compare(left=left, comparators=[right]):
            return all(is_alike(side, array) or _is_number(module, side) for side in (left, right))
        case ast.UnaryOp(operand=operand):
            return _is_of_its_shape(module, operand, array)
        case ast.BinOp(left=left, right=right):
            return all(_is_of_its_shape(module, side, array) for side in (left, right))
        case ast.Call(args=[only]):
            return is_alike(only, array)
    return False


def _is_number(module: Module, expr: ast.expr) -> bool:
    """Whether it surely has no dimensions: not where a caller may pass anything."""
    match expr:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=operand):
            return _is_number(module, operand)
        case ast.BinOp(left=left, right=right):
            return _is_number(module, left) and _is_number(module, right)
        case ast.Name() if (bound := module.names.only_binding(expr)) is not None and isinstance(bound.node, ast.arg):
            return False
    value = module.get(Values).of(expr)
    return value.scalar and not value.assumed


def _is_same_there(module: Module, made: ast.expr, array: ast.expr) -> bool:
    """Whether the array is a variable that is bound once, and the mask is made above it in the same block."""
    is_once = isinstance(array, ast.Name) and module.names.only_binding(array) is not None
    is_here = module.function(made) is module.function(array)
    return is_once and is_here and is_bound_before(module, module.statement(made), array)


def _leave_out(module: Module, reduction: _Reduction, edit: Rewriter) -> None:
    func = module.text(reduction.call.func)
    array, chosen = module.text(reduction.selected.value), module.text(reduction.selected.slice)
    if not _is_of_its_shape(module, reduction.selected.slice, reduction.selected.value):
        numpy = edit.imported("jax.numpy", prefer="jnp", at=reduction.call)
        chosen = f"{numpy}.broadcast_to({chosen}, {array}.shape)"
    if reduction.is_method:
        edit.replace(reduction.call, f"{array}.{reduction.by.rpartition('.')[2]}(where={chosen})")
    else:
        edit.replace(reduction.call, f"{func}({array}, where={chosen})")


CODEMOD = Codemod(
    id="boolean-mask",
    triggers=(*_REDUCING, *_COUNTED),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.FUSED,
    find=find,
    cures=(Why.SHAPE,),
    raises=("masked arrays",),
)
