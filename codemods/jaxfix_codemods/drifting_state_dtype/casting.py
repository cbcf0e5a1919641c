"""The cast of a new state to the dtypes of the old one."""

import ast
from collections.abc import Iterator
from itertools import chain

from jaxfix.api import Code, Declined, Module, Reason, Rewriter, direct_calls, frozen, in_order
from jaxfix.api.analysis import WHOLE, handed_to
from jaxfix.api.library import CONTROL_FLOW, Dtype, where
from jaxfix_codemods.drifting_state_dtype.bodies import Body
from jaxfix_codemods.drifting_state_dtype.drift import Drift

_HELPERS = where(Dtype.LIKE)
"""What a library has for it; taken only where the file mentions it, since its older releases have not."""


@frozen
class Wrap:
    """A new state, and the name of the old one beside it."""

    new: ast.expr
    old: str


def wraps(module: Module, drift: Drift) -> tuple[Wrap, ...]:
    """What is to be cast in the bodies.

    Raises:
      Declined: there is no place for it.
    """
    if drift.rounded is not None:
        name = f"`{drift.rounded}`" if drift.rounded != WHOLE else "the state"
        raise Declined(
            Reason(Code.ROUNDING, f"{name} starts in half precision, to which a cast would round it each time")
        )
    return tuple(dict.fromkeys(wrap for body in drift.bodies for wrap in _of_body(module, body)))


def cast(module: Module, found: tuple[Wrap, ...], edit: Rewriter) -> None:
    for wrap in found:
        own = _own_helper(module, wrap.new)
        edit.wrap(wrap.new, f"{own or edit.helper('cast_like', at=wrap.new)}(", f", {wrap.old})")


def _of_body(module: Module, body: Body) -> Iterator[Wrap]:
    if all(isinstance(result, ast.Name) and _names(module, result, body) for result in body.results):
        target = _bound_anew(module, body)
        if target is None:
            return  # what it was passed comes back
        yield Wrap(target, body.state.arg)
        return
    if _bound_anew(module, body) is not None:
        raise Declined(Reason(Code.REBOUND, f"`{body.state.arg}` is rebound by the end of {body.name}"))
    if not isinstance(body.function, ast.Lambda):
        _check_uses(module, body.function)
    for result in body.results:
        if not module.has_exact_spans(result):
            raise Declined(Reason(Code.FORMAT_STRING, "it is inside an f-string"))
        if not _names(module, result, body):
            yield Wrap(result, body.state.arg)


def _names(module: Module, result: ast.expr, body: Body) -> bool:
    """Whether `result` is the name of the state."""
    own = isinstance(result, ast.Name) and result.id == body.state.arg
    return own and module.scope_of(body.state.arg, result) is body.function


def _bound_anew(module: Module, body: Body) -> ast.expr | None:
    """What the name of the state is bound to in the body; None if to nothing.

    Raises:
      Declined: to several things, or by something else than a plain assignment at its top.
    """
    others = [b.node for b in module.bindings(body.state.arg, body.function) if b.node is not body.state]
    if not others:
        return None
    value = module.value_of(others[0]) if isinstance(others[0], ast.Name) else None
    if len(others) > 1 or value is None or module.parent(module.statement(value)) is not body.function:
        raise Declined(Reason(Code.REBOUND, f"`{body.state.arg}` is rebound in {body.name} in more than one way"))
    return value


def _check_uses(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """
    Raises:
      Declined: other code relies on what the function returns.
    """
    if direct_calls(module, function):
        raise Declined(Reason(Code.OTHER_USES, f"`{function.name}` is called elsewhere too"))
    for call in handed_to(module, function):
        if module.qualname(call.func) not in (*CONTROL_FLOW, "functools.partial"):
            raise Declined(Reason(Code.OTHER_USES, f"`{function.name}` is used elsewhere too"))


def _own_helper(module: Module, at: ast.expr) -> str | None:
    """The name under which the file knows a function that does it, where that name can be seen."""
    for node, root in module.get(_helpers):
        if module.scope_of(root.id, at) is module.scope_of(root.id, node):
            return module.text(node)
    return None


def _helpers(module: Module) -> tuple[tuple[ast.expr, ast.Name], ...]:
    """Where such a function is named, each with the variable that the name begins with."""
    found = []
    names: list[ast.expr] = [*chain(*module.names.by_id.values()), *module.nodes(ast.Attribute)]
    for node in in_order([node for node in names if module.qualname(node) in _HELPERS]):
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        found += [(node, root)] if isinstance(root, ast.Name) else []
    return tuple(found)
