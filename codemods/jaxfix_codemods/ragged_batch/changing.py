"""What becomes of a last batch that is shorter: it is left out, or padded, with a mask for the means."""

import ast
from collections.abc import Iterator

from jaxfix.api import Code, Declined, Function, Identifiers, Module, Reason, Rewriter, arguments_of, frozen, walk
from jaxfix.api.library import Result, short_names
from jaxfix_codemods.ragged_batch.generators import handed_by
from jaxfix_codemods.ragged_batch.loops import Batches, counted_elsewhere, end_of, length, read_after, sizes_used
from jaxfix_codemods.ragged_batch.rows import Means
from jaxfix_codemods.ragged_batch.steps import Step, losses, traced, unread_calls, value_of
from jaxfix_codemods.ragged_batch.widths import refilled, widths
from jaxfix_codemods.ragged_batch.widths import whole as whole_width

_OTHERS = short_names(Result.OF_ALL)
_EXTREMES = frozenset({"max", "min"})
"""Of them a row that is there twice changes nothing."""
_STATISTICS = ("BatchNorm", "batch_stats", "batch_norm")


@frozen
class Mean:
    """A mean over all of an array: the call, and what it is taken of."""

    call: ast.Call
    of: ast.expr


@frozen
class Masked:
    """What has to be rewritten for a mask: functions that get one, calls that pass it on, and means that heed it."""

    functions: tuple[Function, ...]
    calls: tuple[ast.Call, ...]
    means: tuple[Mean, ...]
    handed: tuple[ast.expr, ...] = ()


def check_dropped(module: Module, found: Batches, taken: tuple[Step, ...]) -> None:
    """Raises `Declined` where the rows of the last batch are missed, or what is counted would be wrong."""
    idle = next((step for step in taken if not step.trains()), None)
    if idle is not None:
        name = ast.unparse(idle.call.func)
        raise Declined(Reason(Code.STRUCTURE, f"`{name}` trains nothing: results for the last rows would be missing"))
    _check_kept(module, taken)
    other = unread_calls(module, found)
    if other is not None:
        text = f"line {other.lineno} takes these batches as well, and may need every row"
        raise Declined(Reason(Code.OTHER_USES, text, other.lineno))
    counted = counted_elsewhere(module, found)
    if counted is not None:
        text = f"line {counted.lineno} counts the batches, or takes a mean over all rows"
        raise Declined(Reason(Code.OTHER_USES, text, counted.lineno))
    check_sizes(module, found)
    length(module, found)
    after = read_after(module, found)
    if after is not None:
        text = f"line {after.lineno} reads where the last batch began"
        raise Declined(Reason(Code.LIVE, text, after.lineno))


def _check_kept(module: Module, taken: tuple[Step, ...]) -> None:
    """Raises `Declined` where results of each row may be kept, which would be fewer, or more."""
    every = (step.collects(value_of(module, step)) for step in taken)
    kept = next((node for node in every if node is not None), None)
    if kept is not None:
        line = getattr(kept, "lineno", None)
        raise Declined(Reason(Code.STRUCTURE, f"line {line} keeps results that may be those of each row", line))


def check_sizes(module: Module, found: Batches) -> None:
    """Raises `Declined` where the loop does something with the number of rows of a batch."""
    used = sizes_used(module, found)
    if used is not None:
        line = getattr(used, "lineno", None)
        raise Declined(Reason(Code.OTHER_USES, f"line {line} uses where a batch begins, or how long it is", line))


def drop(module: Module, found: Batches, edit: Rewriter) -> None:
    """Ends the range before a batch that is shorter."""
    rows, size, there = module.text(found.rows), _operand(module, found.size), _there(module, found)
    is_own = there == rows or there.startswith("min(")
    end = f"{there} - {size} + 1"
    edit.replace(found.rows, end if is_own else f"min({rows}, {end})")


def skip(module: Module, found: Batches, edit: Rewriter) -> None:
    """The same in another way: goes on to the next iteration, of which there is none."""
    test = f"{found.counter} + {_operand(module, found.size)} > {_there(module, found)}"
    edit.insert_before(found.loop.body[0], f"if {test}:\n    continue")


def _there(module: Module, found: Batches) -> str:
    """The rows that batches are taken of: those of the range, or all of the arrays, which slices may go on to."""
    rows, known = module.text(found.rows), length(module, found)
    if known is None:
        return rows
    is_capped = [isinstance(end_of(module, each), ast.Call) for each in found.slices]
    return f"min({rows}, {known})" if any(is_capped) else known


def masked_of(module: Module, found: Batches, taken: tuple[Step, ...]) -> Masked:
    """What a mask needs.

    Raises:
      Declined: the rows of a batch do something else than to enter means, or that cannot be read.
    """
    check_sizes(module, found)
    length(module, found)
    handed = handed_by(module, found, taken)
    if handed:
        _check_generator(found)
    if not any(step.trains() for step in taken):
        raise Declined(Reason(Code.UNREAD, f"`{ast.unparse(taken[0].call.func)}` is not a training step of this file"))
    _check_kept(module, taken)
    every = [_masked_of_step(module, found, step) for step in taken]
    functions, calls, means = (
        tuple(dict.fromkeys(part for each in every for part in getattr(each, name)))
        for name in ("functions", "calls", "means")
    )
    for mean in means:
        _check_place(module, mean, {*calls, *(each.call for each in means)} - {mean.call})
    for each in functions:
        _check_signature(each)
    return Masked(functions, calls, means, handed)


def _check_generator(found: Batches) -> None:
    """Raises `Declined` where a generator takes something of the rows that one row more would change."""
    for node in walk(found.loop):
        name = _called(node) if isinstance(node, ast.Call) else ""
        if name == "mean" or (name in _OTHERS and name not in _EXTREMES):
            line = getattr(node, "lineno", None)
            raise Declined(Reason(Code.OTHER_USES, f"line {line} takes `{name}` over rows, padding included", line))


def _masked_of_step(module: Module, found: Batches, step: Step) -> Masked:
    function = traced(module, step)
    if function is None:
        raise Declined(Reason(Code.UNREAD, f"`{ast.unparse(step.call.func)}` is not a training step of this file"))
    known = losses(module, step)
    outer = list(dict.fromkeys([function, *(each for each, call in known if call is not None)]))
    for each in outer:
        _check_reductions(module, each)
    every = tuple(mean for each in outer for mean in _means(module, each))
    over_rows = Means(module, function, _rows(found, step, function), (mean.call for mean in every)).over_rows
    means = tuple(mean for mean in every if mean.call in over_rows)
    if not means:
        raise Declined(Reason(Code.UNREAD, "no mean over the rows of a batch was found to mask"))
    given = [each for each in outer if each is function or over_rows & set(ast.walk(each))]
    calls = (step.call, *(call for each, call in known if call is not None and each in given))
    return Masked(tuple(given), calls, means)


def _rows(found: Batches, step: Step, function: Function) -> list[str]:
    """The parameters of a step that take rows of a batch, also through the loop over a generator."""
    bound = {each.id for each in ast.walk(step.loop.target) if isinstance(each, ast.Name)}
    is_own = step.loop is found.loop
    return [
        name
        for name, value in (arguments_of(function, step.call) or {}).items()
        if value is not None and (found.holds(value) if is_own else isinstance(value, ast.Name) and value.id in bound)
    ]


def _check_place(module: Module, mean: Mean, changed: set[ast.Call]) -> None:
    """Raises `Declined` where what the mean is of cannot be computed by a line above, or is `changed` itself."""
    statement = module.statement(mean.call)
    is_plain = isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return | ast.Expr)
    around = module.function(mean.call)
    is_chosen = any(isinstance(each, ast.IfExp | ast.BoolOp) for each in module.ancestors(mean.call))
    if (
        not is_plain
        or is_chosen
        or isinstance(around, ast.Lambda)
        or module.loops(mean.call) != module.loops(statement)
    ):
        text = f"line {mean.call.lineno} takes a mean within a lambda, a test or a comprehension"
        raise Declined(Reason(Code.LAYOUT, text, mean.call.lineno))
    if not changed.isdisjoint(ast.walk(mean.of)):
        text = f"line {mean.call.lineno} takes a mean of what another mean over rows is in"
        raise Declined(Reason(Code.LAYOUT, text, mean.call.lineno))


def _check_reductions(module: Module, function: Function) -> None:
    for node in ast.walk(function):
        name = _called(node) if isinstance(node, ast.Call) else getattr(node, "attr", getattr(node, "id", ""))
        if name in _STATISTICS or (isinstance(node, ast.Call) and name in _OTHERS and _is_over_rows(node)):
            line = getattr(node, "lineno", None)
            text = f"line {line} takes `{name}` over rows, which would see the padding"
            raise Declined(Reason(Code.OTHER_USES, text, line))
        if isinstance(node, ast.Call) and name == "mean" and _mean(module, node) is None and _is_over_rows(node):
            raise Declined(Reason(Code.OTHER_USES, f"line {node.lineno} takes a mean by rows alone", node.lineno))


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


def _is_over_rows(call: ast.Call) -> bool:
    """Whether a reduction may go over the first axis."""
    axis = next((keyword.value for keyword in call.keywords if keyword.arg == "axis"), None)
    return axis is None or ast.unparse(axis) not in ("-1", "1", "(1, 2)", "(1, 2, 3)", "(-2, -1)")


def _means(module: Module, function: Function) -> list[Mean]:
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return [mean for call in calls if (mean := _mean(module, call)) is not None]


def _mean(module: Module, call: ast.Call) -> Mean | None:
    """The mean over a whole array that a call takes."""
    if module.qualname(call.func) == "jax.numpy.mean":
        return Mean(call, call.args[0]) if len(call.args) == 1 and not call.keywords else None
    match call:
        case ast.Call(func=ast.Attribute(value=of, attr="mean"), args=[], keywords=[]):
            return Mean(call, of)
    return None


def _check_signature(function: Function) -> None:
    arguments = function.args
    is_plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs)
    if not is_plain or not arguments.args:
        raise Declined(Reason(Code.SIGNATURE, "a function that would get a mask has `*`, `/` or no parameters"))


def _touched(masked: Masked) -> Iterator[ast.AST]:
    """A node of each function in which the mask gets a name."""
    yield from masked.calls
    yield from masked.handed
    yield from (mean.call for mean in masked.means)
    yield from (each.body if isinstance(each, ast.Lambda) else each.body[0] for each in masked.functions)


def pad(module: Module, found: Batches, masked: Masked, edit: Rewriter, *, is_wrapped: bool = False) -> None:
    """Has every batch the same rows, those past the end standing in for padding, and means that leave them out.

    Args:
      is_wrapped: whether the first rows are the padding, and not the last one again.
    """
    names = module.get(Identifiers)
    mask = names.unused_at("mask", found.loop, *_touched(masked))
    numbers = names.unused_at("numbers", found.loop)
    rows = names.unused_at("wrapped" if is_wrapped else "rows", found.loop)  # a script keeps it, and it differs
    np = edit.imported("numpy", prefer="np", at=found.loop)
    size, whole = _operand(module, found.size), _there(module, found)
    inside = f"{numbers} % ({whole})" if is_wrapped else f"{np}.minimum({numbers}, {whole} - 1)"
    made = f"{numbers} = {np}.arange({found.counter}, {found.counter} + {size})"
    edit.insert_before(found.loop.body[0], f"{made}\n{rows}, {mask} = {inside}, {numbers} < {whole}")
    cut = widths(module, found)
    inner = {each.rows for each in cut}
    taken = dict.fromkeys(found.slices, rows)
    for each in (each for each in found.slices if each not in inner):
        edit.replace(each, rows)
    if is_wrapped:
        refilled(cut, taken, module, np, edit)
    else:
        whole_width(cut, taken, module, edit)
    for pair in masked.handed:
        end = pair.elts[-1] if isinstance(pair, ast.Tuple) else pair
        edit.wrap(end, "", f", {mask}")
    for call in masked.calls:
        edit.set_keyword(call, mask, mask)
    for function in masked.functions:
        last: ast.AST = function.args.defaults[-1] if function.args.defaults else function.args.args[-1]
        edit.replace(last, f"{module.text(last)}, {mask}=None")
    jnp = edit.imported("jax.numpy", prefer="jnp", at=found.loop)
    for mean in masked.means:
        values = names.unused_at("by_row", mean.call)
        edit.insert_before(module.statement(mean.call), f"{values} = {module.text(mean.of)}")
        kept = f"None if {mask} is None else {mask}.reshape(-1, *[1] * ({values}.ndim - 1))"
        edit.replace(mean.call, f"{jnp}.mean({values}, where={kept})")


def _operand(module: Module, node: ast.expr) -> str:
    text = module.text(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Constant | ast.Call | ast.Subscript) else f"({text})"
