"""A power whose exponent is a counter in an integer array.

With a concrete integer array as exponent, `**` becomes `lax.integer_pow`, whose
exponent is part of the program: run eagerly, every new count is a new program,
one compile per step that also stays in memory. A floating exponent is an
argument like any other. The powers of one function are cured together, since
one that is left compiles for all.

Before:
    import jax.numpy as jnp

    def debiased(moments, decay=0.9):
        count = jnp.zeros([], jnp.int32)
        for moment in moments:
            count = count + 1
            yield moment / (1 - decay**count)

After:
    import jax.numpy as jnp

    def debiased(moments, decay=0.9):
        count = jnp.zeros([], jnp.int32)
        for moment in moments:
            count = count + 1
            yield moment / (1 - decay**(count * 1.0))

Safety: needs evidence. The eager result moves by some units in the last place
onto the one that the same line gives under jit. `count * 1.0` is weakly typed,
so the result stays weak and a bfloat16 update stays bfloat16, where
`count.astype(float)` would promote it. Under jit a power of a Python number
by an integer array is strong and becomes weak: a computation in bfloat16 or
float16 that uses it unconverted is then rounded as in the eager run. A base
that is an array is left alone, since the exponent would be rounded to its
type; so is one that is an integer, and one that is differentiated, since the
gradient of `x ** 0.0` at zero is not a number.

Evidence: no compile per step, the results of the original under jit bit for
bit, those of the eager original within a tolerance.

Source: https://github.com/google-deepmind/optax/issues/969
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from jaxfix.api import (
    Codemod,
    Confidence,
    Equality,
    Finding,
    Form,
    Function,
    Kind,
    Module,
    Rewriter,
    Runs,
    Safety,
    Value,
    Values,
    Why,
)

_TIGHT = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.UnaryOp)


@dataclass(frozen=True, slots=True)
class _Power:
    at: ast.expr
    base: ast.expr
    exponent: ast.expr


def find(module: Module) -> Iterator[Finding]:
    values = Values(module)
    curable: dict[Function | None, list[_Power]] = {}
    for power in _powers(module):
        if isinstance(power.exponent, ast.Constant) or not _runs_anew(module, power.at):
            continue
        if not _counts(values.of(power.exponent)):
            continue
        reason = _why_not(module, power, values.of(power.base))
        if reason is None:
            curable.setdefault(_owner(module, power.at), []).append(power)
        elif reason:
            yield _finding(module, (power,), declined=reason)
    for powers in curable.values():
        yield _finding(module, tuple(sorted(powers, key=lambda power: module.span(power.at))))


def _runs_anew(module: Module, node: ast.AST) -> bool:
    """Whether the line may run eagerly more than once."""
    runs = module.runs(node)
    return runs is Runs.UNKNOWN or (runs is Runs.EAGER and module.repeats(node))


def _counts(exponent: Value) -> bool:
    # Measured: an exponent with a dimension, or a NumPy one, is an argument and compiles once.
    return exponent.is_array and exponent.kind is Kind.INT and exponent.scalar and exponent.varies


def _why_not(module: Module, power: _Power, base: Value) -> str | None:
    """The reason to decline; None to rewrite; empty where even the cost is not certain."""
    name = f"`{_line(module, power.base)}`"
    if not module.has_exact_spans(power.at):
        return "the power stands inside an f-string"
    if base.kind is Kind.INT:
        return f"{name} is an integer, and a floating exponent would make the result floating"
    if base.is_array and base.kind is Kind.UNKNOWN:
        return f"{name} is an array of unknown dtype, to which a floating exponent would be rounded"
    if base.is_array or base.form is Form.NUMPY:
        return f"{name} is an array, and a floating exponent would be rounded to its dtype"
    if base.form is not Form.PYTHON or base.kind is not Kind.FLOAT:
        return ""
    if module.differentiated(power.at):
        return f"{name} may be differentiated, and the gradient of a power of zero is another one"
    return None


def _powers(module: Module) -> Iterator[_Power]:
    for node in ast.walk(module.tree):
        match node:
            case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
                yield _Power(node, base, exponent)
            case ast.Call(args=[base, exponent], keywords=[]) if _is_power(module, node):
                yield _Power(node, base, exponent)


def _is_power(module: Module, call: ast.Call) -> bool:
    # `lax.pow` and `jnp.float_power` take the exponent as an argument: measured, no compile per count.
    match call.func:
        case ast.Name(id="pow"):
            return module.scope_of("pow", call) is None
    return module.qualname(call.func) in ("jax.numpy.power", "jax.numpy.pow")


def _owner(module: Module, node: ast.AST) -> Function | None:
    """The function with a name around `node`."""
    return next((f for f in module.functions_around(node) if not isinstance(f, ast.Lambda)), None)


def _finding(module: Module, powers: tuple[_Power, ...], declined: str | None = None) -> Finding:
    first = powers[0]
    shown = list(dict.fromkeys(f"`{_line(module, power.at)}`" for power in powers))
    verb, noun = ("raises", "its exponent") if len(shown) == 1 else ("raise", "their exponent")
    return Finding(
        at=first.at,
        message=f"{', '.join(shown)} {verb} to an integer array: run eagerly, each new value of {noun} is compiled",
        title="Make the exponent floating with `* 1.0`",
        recipe=partial(_float_exponents, module, powers) if declined is None else None,
        declined=declined,
        confidence=Confidence.CERTAIN if module.surely_repeats(first.at) else Confidence.POSSIBLE,
    )


def _float_exponents(module: Module, powers: tuple[_Power, ...], edit: Rewriter) -> None:
    for power in powers:
        loose = not isinstance(power.exponent, _TIGHT) or isinstance(power.exponent, ast.NamedExpr)
        inner = ("(", ") * 1.0") if loose else ("", " * 1.0")
        if isinstance(power.at, ast.BinOp) and not _is_parenthesised(module, power.at):
            # Unparenthesised, an exponent binds tighter than `*`, and only needs parentheses around the product.
            inner = ("(", " * 1.0)")
        edit.wrap(power.exponent, *inner)


def _is_parenthesised(module: Module, power: ast.BinOp) -> bool:
    start, end = module.span(power.left).end, module.span(power.right).start
    between = re.sub(r"#.*", "", module.source.text[start:end].decode())
    return "(" in between.partition("**")[2]


def _line(module: Module, node: ast.AST) -> str:
    return " ".join(module.text(node).split())


CODEMOD = Codemod(
    id="static-exponent",
    triggers=("**", "jax.numpy.power", "jax.numpy.pow"),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.AS_JITTED,
    find=find,
    cures=(Why.PARAMETER,),
    programs=("integer_pow",),
)
