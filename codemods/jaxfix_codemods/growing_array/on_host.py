"""Numbers that the host reads in each iteration anyway: an array of them is made at once, where nothing is compiled."""

import ast
from collections.abc import Sequence

from jaxfix.api import Identifiers, Module, Rewriter, Staging
from jaxfix.api.analysis import Values, reaching
from jaxfix.api.library import Result, where
from jaxfix_codemods.collecting import value_bound
from jaxfix_codemods.growing_array.parts import Growth, part_text
from jaxfix_codemods.looping.arrays import Arrays

_JAX = frozenset(name for name in where(Result.FILLED) | where(Result.CONVERTED) if name.startswith("jax.numpy."))
_CONVERTED = where(Result.CONVERTED)
_REAL = ("float", "int")
"""Builtins that raise for anything but one real number."""


def start_on_host(module: Module, every: Sequence[Growth], loop: ast.For | ast.While) -> ast.Assign | None:
    """What binds the empty array that it begins as, if it can be made of numbers after the loop; None where it cannot.

    It begins with the widest type of floats that there is, so that a number has no say in the type of the result.
    """
    first = every[0]
    if len(every) > 1 or not first.is_flat or not module.get(Staging).is_eager(first.call):
        return None
    scope = module.scope_of(first.target.id, first.target)
    starts = [each.node for each in module.bindings(first.target.id, scope) if each.node is not first.target]
    made = value_bound(module, starts[0]) if len(starts) == 1 else None
    start = module.parent(made) if made is not None and _is_empty(module, made) else None
    if not isinstance(start, ast.Assign) or len(start.targets) > 1 or not _comes_before(module, start, loop):
        return None
    reads = (use for use in module.reads(first.target.id, scope) if use is not first.old)
    is_between = any(use.lineno < loop.lineno for use in reads)
    return None if is_between or not _is_number(module, first, first.parts[0]) else start


def make_of_numbers(module: Module, growth: Growth, loop: ast.stmt, start: ast.Assign, edit: Rewriter) -> None:
    """Collects the numbers, and makes an array of them after the loop."""
    name, (part,) = growth.target.id, growth.parts
    numbers = module.get(Identifiers).unused_at(f"{name}_parts", loop)
    jax = edit.imported("jax", prefer="jax", at=loop)
    jnp = edit.imported("jax.numpy", prefer="jnp", at=loop)
    np = edit.imported("numpy", prefer="np", at=loop)
    edit.replace(start, f"{numbers} = []")
    edit.replace(growth.statement, f"{numbers}.append({_kept(module, growth, part, jnp)})")
    edit.insert_after(loop, f"{name} = {jnp}.asarray({np}.ravel({jax}.device_get({numbers})), dtype=float)")


def _is_empty(module: Module, made: ast.expr) -> bool:
    """Whether it is an array of no floats, of the dtype that Python floats have in JAX."""
    if not isinstance(made, ast.Call) or made.keywords or module.qualname(made.func) not in _JAX:
        return False
    match made.args:
        case [ast.List(elts=[])]:
            return True
        case [ast.Constant(value=0) | ast.Tuple(elts=[ast.Constant(value=0)])]:
            return module.qualname(made.func) not in _CONVERTED
    return False


def _comes_before(module: Module, start: ast.stmt, loop: ast.stmt) -> bool:
    """Whether each run of the loop comes after one of the start, in the same block."""
    around = module.parent(loop)
    blocks = (getattr(around, field, None) for field in ("body", "orelse", "finalbody"))
    return any(isinstance(block, list) and start in block and loop in block for block in blocks)


def _is_number(module: Module, growth: Growth, part: ast.expr) -> bool:
    """Whether each iteration reads the part as a real number, which waits for it: `total += float(loss)`."""
    if not isinstance(part, ast.Name):
        return False
    around, bound = module.parent(growth.statement), _bound(module, part)
    reads = (use for use in module.reads(part.id, module.scope_of(part.id, part)) if _is_read_as_real(module, use))
    return any(module.parent(module.statement(use)) is around and _bound(module, use) == bound for use in reads)


def _bound(module: Module, name: ast.Name) -> list[ast.AST]:
    return [each.node for each in reaching(module, name, module.bindings(name.id, module.scope_of(name.id, name)))]


def _is_read_as_real(module: Module, name: ast.Name) -> bool:
    """Whether the statement around does nothing but compute with the number, and so comes to it."""
    match module.parent(name):
        case ast.Call(func=ast.Name(id=called) as func, args=[_], keywords=[]) as call if called in _REAL:
            statement = module.parent(call)
            is_plain = isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr)
            return is_plain and module.scope_of(called, func) is None
    return False


def _kept(module: Module, growth: Growth, part: ast.expr, jnp: str) -> str:
    """What is collected: the number itself, if it surely is an array that nothing refills or takes."""
    text = part_text(module, growth.call, part, jnp, is_flat=True)
    is_array = module.get(Values).of(part).is_array or module.get(Arrays).is_sure(part)
    return module.text(part) if is_array and text.startswith(f"{jnp}.ravel(") else text
