"""The functions that a call of control flow takes, in every form of the call."""

import ast
from collections.abc import Iterator

from jaxfix.library.facets import Package, Result
from jaxfix.library.table import CONTROL_FLOW, short_names, where
from jaxfix.semantic.calls import made_by
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.staging.function_identity import RENEWING, made_anew
from jaxfix.staging.jit import jit_of, transform_of
from jaxfix.syntax.nodes import in_order

_OLDER_COND = ("pred", "true_operand", "true_fun", "false_operand", "false_fun")
_PACKAGES = where(Package.OPERATES)
_CONSTANTS = short_names(Result.CONSTANT, "jax.numpy")


@frozen
class OlderCond:
    """A call `cond(pred, true_operand, true_fun, false_operand, false_fun)`, which has an operand for each branch."""

    pred: ast.expr
    true_operand: ast.expr
    true_fun: ast.expr
    false_operand: ast.expr
    false_fun: ast.expr


def older_cond(module: Module, call: ast.Call) -> OlderCond | None:
    """The parts of `call`, if it is a `lax.cond` of the older form.

    Returns:
      None where it is not, or that cannot be determined.
    """
    if transform_of(module, call.func) != "jax.lax.cond" or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if len(call.args) + len(named) != len(_OLDER_COND) or not named.keys() <= set(_OLDER_COND[len(call.args) :]):
        return None
    found = OlderCond(*call.args, *(named[name] for name in _OLDER_COND[len(call.args) :]))
    # By position `cond(pred, true_fun, false_fun, x, y)` looks the same; a function cannot be its `y`.
    is_older = bool(named) or (not _is_function(module, found.true_operand) and _is_function(module, found.false_fun))
    return found if is_older else None


def function_arguments(module: Module, call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    """The functions that `call` passes to control flow.

    Returns:
      Each argument that is a function or a list of them, with the name of its parameter. Nothing where `call` is no
      control flow of JAX.
    """
    primitive = primitive_of(module, call)
    if primitive is None:
        return
    if (older := older_cond(module, call)) is not None:
        yield from ((older.true_fun, "true_fun"), (older.false_fun, "false_fun"))
        return
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    for taken in CONTROL_FLOW[primitive].calls:
        argument = call.args[taken.position] if taken.position < len(call.args) else named.get(taken.name)
        if argument is not None:
            yield argument, taken.name


def control_flow(module: Module) -> tuple[ast.Call, ...]:
    """The calls of control flow, those through a name that may stand for something else too among them.

    Returns:
      In the order of the text.
    """
    return module.get(_control_flow)


def _control_flow(module: Module) -> tuple[ast.Call, ...]:
    chosen = {target.id for target, value in module.names.assigned if type(value) is ast.IfExp}
    by_name = (call for call in module.spelled_calls(chosen) if primitive_of(module, call) is not None)
    return tuple(in_order([*dict.fromkeys((*module.calls(*CONTROL_FLOW), *by_name))]))


def primitive_of(module: Module, call: ast.Call) -> str | None:
    """The canonical name of the control flow that `call` is, or may be: `scan = a if verbose else jax.lax.scan`.

    Returns:
      None where it is none.
    """
    found = transform_of(module, _unnamed(module, call.func))
    return found if found in CONTROL_FLOW else None


def _unnamed(module: Module, func: ast.expr) -> ast.expr:
    """What `jax.named_call` gives a name, and leaves unchanged: `loop = jax.named_call(lax.while_loop, name="fit")`.

    Of two that a condition chooses from, the one that is control flow.
    """
    match module.only_value(func) if isinstance(func, ast.Name) else func:
        case ast.Call(func=by, args=[inner, *_]) if module.qualname(by) == "jax.named_call":
            return inner
        case ast.IfExp(body=body, orelse=orelse):
            return next((each for each in (body, orelse) if transform_of(module, each) in CONTROL_FLOW), func)
    return func


def wraps_its_functions(module: Module, call: ast.Call) -> bool:
    """Whether JAX makes new functions of those that `call` takes, and so compiles at every eager call of it."""
    return transform_of(module, call.func) == "jax.lax.map" or older_cond(module, call) is not None


def _is_function(module: Module, expr: ast.expr) -> bool:
    """Whether `expr` is known to be a function."""
    if module.definition(expr) is not None or made_anew(module, expr) is not None or jit_of(module, expr) is not None:
        return True
    maker = made_by(module, expr)
    if maker is not None and module.qualname(maker) in RENEWING:
        return True
    package, _, name = (module.qualname(expr) or "").rpartition(".")
    return package in _PACKAGES and name not in _CONSTANTS
