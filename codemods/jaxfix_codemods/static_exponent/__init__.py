"""A power with an integer counter as its exponent.

With a concrete integer array as exponent, `**` becomes `lax.integer_pow`, whose
exponent is part of the program: run eagerly, every new count compiles a new program, which stays in memory. A floating
exponent is an ordinary argument. All such powers of a function are rewritten together, since one that remains still
compiles at every step.

Before:
    import jax.numpy as jnp

    def debiased(moments, decay=0.9):
        count = jnp.zeros([], jnp.int32)
        for moment in moments:
            count = count + 1
            correction = 1 - decay**count
            yield moment / correction.astype(moment.dtype)

After:
    import jax.numpy as jnp

    def debiased(moments, decay=0.9):
        count = jnp.zeros([], jnp.int32)
        for moment in moments:
            count = count + 1
            correction = 1 - decay**(count * 1.0)
            yield moment / correction.astype(moment.dtype)

Safety: needs a rerun. The eager result moves by a few units in the last place, to the value that the same line gives
under jit. `count * 1.0` is weakly typed, so the result stays weak and a bfloat16 update stays bfloat16, where
`count.astype(float)` would promote it. Under jit, however, a power of a Python number by a strongly typed count is
strong, and weak with `count * 1.0`: a bfloat16 operand would then be multiplied in bfloat16 instead of float32. If
the code may run under a trace and the difference is visible, only a concrete count is converted, with
`isinstance(count, jax.core.Tracer)`, so that the traced program stays the same.

Declined: a base that is an array, since the exponent would be rounded to its dtype; an integer base; and a base that
is differentiated, since the gradient of `x ** 0.0` at zero is not a number.

Evidence: no compile per step, the results of the original under jit bit for
bit, those of the eager original within a tolerance.

Source: https://github.com/google-deepmind/optax/issues/969
"""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Confidence,
    Equality,
    Finding,
    Function,
    Module,
    Reason,
    Rewriter,
    Runs,
    Safety,
    Staging,
    Why,
    frozen,
    in_order,
    jitted_by_decorator,
    walk,
)
from jaxfix.api.analysis import Form, Kind, Value, Values, is_alike, positional_of
from jaxfix_codemods.static_exponent.weak_types import weak_type_is_observable

_POWERS = ("jax.numpy.power", "jax.numpy.pow")

_TIGHT = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.UnaryOp)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)
_AT_TIMES = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LATER = (ast.Lambda, ast.GeneratorExp)
_WHY = "# A concrete integer exponent is compiled again for every value."


@frozen
class _Power:
    at: ast.expr | ast.AugAssign
    base: ast.expr
    exponent: ast.expr


def find(module: Module) -> Iterator[Finding]:
    values = module.get(Values)
    curable: dict[Function | None, list[_Power]] = {}
    for power in _powers(module):
        if isinstance(power.exponent, ast.Constant) or _is_in_jitted(module, power.at):
            continue
        if not _counts(values.of(power.exponent)) or not _runs_anew(module, power.at):
            continue
        base = values.of(power.base)
        if module.has_exact_spans(power.at) and not _is_known(base):
            continue  # even the cost is not certain
        reason = _why_declined(module, values, power, base)
        if reason is None:
            curable.setdefault(_owner(module, power.at), []).append(power)
        else:
            yield _finding(module, values, (power,), declined=reason)
    for powers in curable.values():
        yield _finding(module, values, tuple(sorted(powers, key=lambda power: module.span(power.at))))


def _is_in_jitted(module: Module, node: ast.AST) -> bool:
    """Whether it only runs under a trace, as its own function says: then what others pass need not be asked."""
    return any(jitted_by_decorator(module, function) is not None for function in module.functions_around(node))


def _runs_anew(module: Module, node: ast.AST) -> bool:
    """Whether the line may run eagerly more than once."""
    staging = module.get(Staging)
    return not staging.is_only_traced(node) and (not staging.is_eager(node) or staging.repeats(node))


def _counts(exponent: Value) -> bool:
    # Measured: an exponent with a dimension, or a NumPy one, is an argument and compiles once.
    return exponent.is_array and exponent.kind is Kind.INT and exponent.scalar and exponent.varies


def _is_known(base: Value) -> bool:
    """Whether it is an array, an integer or a Python float."""
    is_python = base.form is Form.PYTHON and base.kind is Kind.FLOAT
    return base.kind is Kind.INT or base.is_array or base.form is Form.NUMPY or is_python


def _why_declined(module: Module, values: Values, power: _Power, base: Value) -> Reason | None:
    """Why the power is not rewritten; None if it is."""
    name = f"`{_line(module, power.base)}`"
    if not module.has_exact_spans(power.at):
        return Reason(Code.FORMAT_STRING, "the power is inside an f-string")
    if base.kind is Kind.INT:
        return Reason(Code.DTYPE, f"{name} is an integer, and a floating exponent would make the result floating")
    if base.is_array and base.kind is Kind.UNKNOWN:
        return Reason(Code.DTYPE, f"{name} is an array of unknown dtype, to which a floating exponent would be rounded")
    if base.is_array or base.form is Form.NUMPY:
        return Reason(Code.ROUNDING, f"{name} is an array, and a floating exponent would be rounded to its dtype")
    if module.get(Staging).differentiated(power.at):
        return Reason(Code.GRADIENT, f"{name} may be differentiated, and the gradient of a power of zero differs")
    if _is_observed(module, values, power) and not _can_be_named(module, power):
        return Reason(Code.LAYOUT, f"`{_line(module, power.exponent)}` is where it cannot be given a name of its own")
    return None


def _is_observed(module: Module, values: Values, power: _Power) -> bool:
    """Whether the code may run under a trace, and can tell there that the power is no longer strongly typed."""
    ways = module.get(Staging).ways(power.at)
    if values.of(power.exponent).form is Form.WEAK or (ways.known == {Runs.EAGER} and not ways.open):
        return False
    result = power.at.target if isinstance(power.at, ast.AugAssign) else power.at
    return weak_type_is_observable(module, result)


def _powers(module: Module) -> Iterator[_Power]:
    operations: list[ast.BinOp | ast.AugAssign] = [*module.nodes(ast.BinOp), *module.nodes(ast.AugAssign)]
    powers = [node for node in operations if isinstance(node.op, ast.Pow)]
    calls = {*module.calls(*_POWERS), *module.spelled_calls(("pow",))}
    for node in in_order([*powers, *calls]):
        match node:
            case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
                yield _Power(node, base, exponent)
            case ast.AugAssign(target=ast.Name() as target, op=ast.Pow(), value=exponent):
                base_before = _value_before(module, target)
                if base_before is not None:
                    yield _Power(node, base_before, exponent)
            case ast.Call(args=[base, exponent], keywords=[]) if _is_power(module, node):
                yield _Power(node, base, exponent)


def _value_before(module: Module, target: ast.Name) -> ast.expr | None:
    """What a variable was bound to before the one statement that changes it, if that is in no loop."""
    statement = module.statement(target)
    match [binding.node for binding in module.bindings(target.id, module.scope_of(target.id, target))]:
        case [ast.Name() as first, ast.Name() as second] if second is target and not module.loops(statement):
            return module.value_of(first)
        case [ast.arg() as parameter, ast.Name() as second] if second is target and not module.loops(statement):
            arguments = module.parent(parameter)
            return _default(arguments, parameter) if isinstance(arguments, ast.arguments) else None
    return None


def _default(arguments: ast.arguments, parameter: ast.arg) -> ast.expr | None:
    positional = positional_of(arguments)
    defaults = dict(zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True))
    return defaults.get(parameter) or dict(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)).get(parameter)


def _is_power(module: Module, call: ast.Call) -> bool:
    # `lax.pow` and `jnp.float_power` take the exponent as an argument: measured, no compile per count.
    match call.func:
        case ast.Name(id="pow"):
            return module.scope_of("pow", call) is None
    return module.qualname(call.func) in _POWERS


def _owner(module: Module, node: ast.AST) -> Function | None:
    """The function with a name around `node`."""
    return next((f for f in module.functions_around(node) if not isinstance(f, ast.Lambda)), None)


def _finding(module: Module, values: Values, powers: tuple[_Power, ...], declined: Reason | None = None) -> Finding:
    first = powers[0]
    shown = list(dict.fromkeys(f"`{_line(module, power.at)}`" for power in powers))
    verb, noun = ("raises", "its exponent") if len(shown) == 1 else ("raise", "their exponent")
    kept = tuple(power for power in powers if declined is None and _is_observed(module, values, power))
    return Finding(
        at=first.at,
        message=f"{', '.join(shown)} {verb} to an integer array: run eagerly, each new value of {noun} compiles again",
        title="Convert the exponent to float with `* 1.0`" if not kept else "Convert a concrete exponent to float",
        recipe=partial(_float_exponents, module, powers, kept) if declined is None else None,
        declined=declined,
        confidence=Confidence.CERTAIN if module.get(Staging).surely_repeats(first.at) else Confidence.POSSIBLE,
    )


def _float_exponents(module: Module, powers: tuple[_Power, ...], kept: tuple[_Power, ...], edit: Rewriter) -> None:
    for power in powers:
        if power not in kept:
            _float_exponent(module, power, edit)
    named: list[tuple[_Power, str]] = []
    for power in kept:
        same = (name for other, name in named if _is_still(module, other, power))
        name = next(same, None) or _bind(module, power, [name for _, name in named], edit)
        named.append((power, name))
        edit.replace(power.exponent, name)


def _float_exponent(module: Module, power: _Power, edit: Rewriter) -> None:
    loose = not isinstance(power.exponent, _TIGHT) or isinstance(power.exponent, ast.NamedExpr)
    inner = ("(", ") * 1.0") if loose else ("", " * 1.0")
    if isinstance(power.at, ast.BinOp) and not _is_parenthesised(module, power.at):
        # Unparenthesised, an exponent binds tighter than `*`, and only needs parentheses around the product.
        inner = ("(", " * 1.0)")
    edit.wrap(power.exponent, *inner)


# --- an exponent that stays an integer under a trace -------------------------------------------------------------


def _can_be_named(module: Module, power: _Power) -> bool:
    """Whether a statement before the one of `power` can compute its exponent."""
    statement = module.statement(power.at)
    if not isinstance(statement, _SIMPLE) or any(isinstance(n, ast.NamedExpr) for n in walk(statement)):
        return False
    names = [n for n in walk(power.exponent) if isinstance(n, ast.Name)]
    if any(module.scope_of(n.id, n) is not module.scope_of(n.id, statement) for n in names):
        return False
    around = [outer for outer in module.ancestors(power.at) if statement in module.ancestors(outer)]
    if any(isinstance(outer, _LATER) for outer in around) and any(_is_rebound(module, name) for name in names):
        return False
    at_times = any(isinstance(outer, _AT_TIMES) for outer in around)
    return not at_times or not any(isinstance(n, ast.Call) for n in walk(power.exponent))


def _is_rebound(module: Module, name: ast.Name) -> bool:
    scope = module.scope_of(name.id, name)
    return scope is not None and len(module.bindings(name.id, scope)) > 1


def _bind(module: Module, power: _Power, others: Sequence[str], edit: Rewriter) -> str:
    """Binds the exponent before the statement of `power`: floating if it is concrete."""
    jax = edit.imported("jax", prefer="jax", at=power.at)
    function = module.function(module.statement(power.at)) or module.tree
    taken = {n.id for n in walk(function) if isinstance(n, ast.Name)} | module.names.bound_in(function) | {*others}
    names = ("exponent", *(f"exponent_{number}" for number in range(2, len(taken) + 3)))
    name = next(name for name in names if name not in taken)
    lines = (
        _WHY,
        f"{name} = {_line(module, power.exponent)}",
        f"if not isinstance({name}, {jax}.core.Tracer):",
        f"    {name} = {name} * 1.0",
    )
    edit.insert_before(module.statement(power.at), "\n".join(lines))
    return name


def _is_still(module: Module, earlier: _Power, later: _Power) -> bool:
    """Whether the exponent of `earlier` has been computed whenever `later` is, and is the same."""
    if not is_alike(earlier.exponent, later.exponent):
        return False
    first, second = module.statement(earlier.at), module.statement(later.at)
    if first is second:
        return True
    names = [n for n in walk(earlier.exponent) if isinstance(n, ast.Name)]
    if any(_is_rebound(module, name) for name in names):
        return False
    if any(isinstance(n, ast.Call | ast.Attribute | ast.Subscript) for n in walk(earlier.exponent)):
        return False
    around = [second, *module.ancestors(second)]
    block = module.parent(first)
    if block is None or module.function(first) is not module.function(second):
        return False
    bodies = [body for _, body in ast.iter_fields(block) if isinstance(body, list) and first in body]
    return any(node in body[body.index(first) :] for body in bodies for node in around)


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
