"""What an array grows by: the statements that join, and a part as it is collected."""

import ast
from collections.abc import Sequence

from jaxfix.api import Module, frozen
from jaxfix.api.analysis import Form, Values, leaves
from jaxfix.api.library import Package, Result, short_names, where

APPEND = "jax.numpy.append"
CONCATENATE = "jax.numpy.concatenate"
VSTACK = "jax.numpy.vstack"
HSTACK = "jax.numpy.hstack"
JOINING = (APPEND, CONCATENATE, VSTACK, HSTACK)
TITLE = "Join the parts once, after the loop"
_FILLED, _CONVERTED = where(Result.FILLED), where(Result.CONVERTED)
_OPERATING = where(Package.OPERATES) | where(Package.IMMUTABLE)
_SHARED = where(Result.SAME_BUFFER) | where(Result.SHARED) | where(Result.VIEW)
_NEW_METHODS = short_names(Result.FRESH, "jax.Array") & short_names(Result.REDUCED)


@frozen
class Growth:
    """A statement `name = jnp.append(name, part)`.

    Attributes:
      by: the function that joins.
      parts: what is put after the array.
      axis: the argument as it is; empty for none.
      opened: the `if` around it that binds the first part, where the array is None before.
    """

    statement: ast.Assign
    target: ast.Name
    old: ast.Name
    call: ast.Call
    by: str
    parts: tuple[ast.expr, ...]
    axis: str
    opened: ast.If | None = None

    @property
    def is_flat(self) -> bool:
        """Whether it takes the elements of a part, whatever its shape."""
        return self.by == APPEND and not self.axis


@frozen
class Operands:
    """What `jnp.append(old, part)` or the like joins; `by` and the others as in `Growth`."""

    by: str
    old: ast.expr
    parts: tuple[ast.expr, ...]
    axis: str

    @property
    def is_flat(self) -> bool:
        return self.by == APPEND and not self.axis


def operands(module: Module, call: ast.Call) -> Operands | None:
    """What `call` joins; None where its arguments do not say."""
    by = module.qualname(call.func)
    match call.args:
        case [old, part, *rest] if by == APPEND:
            parts = [part]
        case [ast.List(elts=[old, *parts]) | ast.Tuple(elts=[old, *parts]), *rest] if by != APPEND and parts:
            pass
        case _:
            return None
    axis = _axis(module, by, rest, call.keywords)
    if axis is None or by is None or any(isinstance(part, ast.Starred) for part in parts):
        return None
    return Operands(by, old, tuple(parts), axis)


def _axis(module: Module, by: str | None, rest: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> str | None:
    """The axis as an argument; empty where there is none, None where something else is passed."""
    match by, rest, keywords:
        case _, [], []:
            return ""
        case (str(), [value], []) | (str(), [], [ast.keyword(arg="axis", value=value)]) if by in (
            APPEND,
            CONCATENATE,
        ):
            is_known = isinstance(value, ast.Constant | ast.UnaryOp)
            is_none = isinstance(value, ast.Constant) and value.value is None
            return None if not is_known or is_none else f"axis={module.text(value)}"
    return None


def part_text(module: Module, call: ast.Call, part: ast.expr, jnp: str, *, is_flat: bool) -> str:
    """What is collected: a copy, if it may be a buffer that is filled in place, or passed on.

    `jnp.ravel` copies NumPy arrays, of one dimension too, and none of JAX: measured with jax 0.4.30 and 0.10.2.
    """
    text = module.text(part)
    is_kept = _is_kept(module, call, part)
    if is_flat:
        return f"{jnp}.ravel({text})" if is_kept else f"{jnp}.copy({jnp}.ravel({text}))"
    return text if is_kept and _is_new(module, part) else f"{jnp}.copy({text})"


def _is_kept(module: Module, call: ast.Call, part: ast.expr) -> bool:
    """Whether no other code can donate or delete it, if it is a JAX array, before all parts are joined."""
    if not isinstance(part, ast.Name) or module.get(Values).of(part).scalar:
        return not isinstance(part, ast.Attribute)
    scope = module.scope_of(part.id, part)
    reads = module.reads(part.id, scope) if scope is not None else (part,)
    others = (use for use in reads if use is not part and call not in module.ancestors(use))
    return all(leaves(module, use) for use in others)


def is_of_library(module: Module, call: ast.Call) -> bool:
    return (module.qualname(call.func) or "").rpartition(".")[0] in _OPERATING


def is_counted(module: Module, iterable: ast.expr) -> bool:
    match iterable:
        case ast.Call(func=ast.Name(id="range" as name)):
            return module.scope_of(name, iterable) is None
    return False


def is_written_out(module: Module, value: ast.expr) -> bool:
    """Whether it is made of what is in the text, and given one name."""
    match value, module.parent(value):
        case ast.Call(func=func, args=[first, *_]), ast.Assign(targets=[_]) | ast.AnnAssign() | ast.Tuple():
            is_text = isinstance(first, ast.List | ast.Tuple | ast.Constant)
            return module.qualname(func) in (_FILLED | _CONVERTED if is_text else _FILLED)
    return False


def _is_new(module: Module, part: ast.expr) -> bool:
    """Whether it is certainly a JAX array or a number, or held by no other code."""
    found = module.get(Values).of(part)
    return found.is_array or found.form is Form.PYTHON or is_made_there(module, part)


def is_made_there(module: Module, part: ast.expr) -> bool:
    """Whether the expression makes an array of its own, or gives what another function has made."""
    match part:
        case ast.Subscript(slice=ast.Constant(value=None)):
            return module.get(Values).of(part.value).is_array
        case ast.BinOp() | ast.UnaryOp() | ast.Compare():
            return True
        case ast.Call(func=func, args=args):
            qualname = module.qualname(func)
            if qualname is None:
                return isinstance(func, ast.Attribute) and func.attr in _NEW_METHODS
            is_shared = qualname in _SHARED and not all(_is_new(module, each) for each in args)
            return qualname.rpartition(".")[0] in _OPERATING and not is_shared
    return False
