"""What a function captures that a factory has made: it is the same function only while that stays."""

import ast
from collections.abc import Mapping

from jaxfix.effects.stability import why_unstable
from jaxfix.library.facets import Package
from jaxfix.library.table import where
from jaxfix.report.reason import Code, Reason
from jaxfix.semantic.calls import arguments_of
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import Function
from jaxfix.syntax.signatures import default_of

_IMMUTABLE = where(Package.IMMUTABLE)


def why_captures_unstable(module: Module, made: Function, call: ast.Call) -> Reason | None:
    """Why a function that its factory returned from `call` may do another thing later.

    Returns:
      None where what it captures is bound once, and nothing changes it.
    """
    factory, captures = module.function(made), module.captures(made)
    if factory is None or captures is None:
        return Reason(Code.LAYOUT, "it shares its line with another function")
    given = arguments_of(factory, call)
    if given is None:
        return Reason(Code.STAR_ARGUMENTS, f"`{module.text(call)}` passes `*` or `**`")
    reasons = (_why_capture_unstable(module, name, made, given) for name in sorted(captures.free))
    return next((reason for reason in reasons if reason is not None), None)


def _why_capture_unstable(
    module: Module, name: str, made: Function, given: Mapping[str, ast.expr | None]
) -> Reason | None:
    factory, scope = module.function(made), module.scope_of(name, made)
    if factory is None or scope is None:
        return Reason(Code.UNREAD, f"the binding of `{name}` is unknown")
    reason = why_unstable(module, name, scope)
    if reason is not None or scope is not factory or name not in given:
        return reason
    value = given[name] or default_of(factory, name)
    stays = value is not None and _stays(module, value)
    return None if stays else Reason(Code.UNSTABLE, f"`{name}`, which it captures, may change")


def _stays(module: Module, value: ast.expr) -> bool:
    """Whether nobody can change what `value` is."""
    match value:
        case ast.Constant() | ast.Lambda():
            return True
        case ast.Name(id=name):
            scope = module.scope_of(name, value)
            return scope is not None and why_unstable(module, name, scope) is None
        case ast.UnaryOp(operand=part):
            return _stays(module, part)
        case ast.BinOp(left=left, right=right):
            return _stays(module, left) and _stays(module, right)
        case ast.Tuple(elts=parts):
            return all(_stays(module, part) for part in parts)
        case ast.Call(func=func):
            return (module.qualname(func) or "").rpartition(".")[0] in _IMMUTABLE
    return False
