"""A loop body, branch or condition created at every call of its enclosing function.

Called outside `jit`, `lax.scan`, `while_loop`, `fori_loop`, `cond` and `switch` compile their functions, and keep
the compiled program under the function's identity. A `def` or `lambda` inside the caller, a `functools.partial` and
a bound method are new objects at every call: the program compiles again each time, and the old one stays in memory.
`lax.map`, and `cond` with an operand per branch, wrap their functions in new ones; under an eager `grad`, `hessian` or
`vmap` control flow is traced again, whatever its functions are. The first sound fix of these is made: the function is
hoisted out of its caller; it is hoisted, and captured arrays become part of the carry, or operands; the enclosing
function is put under `jit`; the call is wrapped in `retrace`, which traces each call but compiles equal programs once.
Under a transformation the outermost one is wrapped: `retrace(jax.grad(loss))(x)`.

Before:
    import jax
    from jax import lax

    def decay(x, rate):
        def body(i, value):
            return value * rate

        return lax.fori_loop(0, 10, body, x)

    def descend(x, loss):
        return lax.fori_loop(0, 10, lambda i, x: x - jax.grad(loss)(x), x)

After:
    import jax
    from jax import lax
    from jaxfix_helpers import retrace


    def _decay_body(i, carry):
        value, rate = carry
        return value * rate, rate


    def decay(x, rate):
        return lax.fori_loop(0, 10, _decay_body, (x, rate))[0]

    def descend(x, loss):
        return retrace(lax.fori_loop)(0, 10, lambda i, x: x - jax.grad(loss)(x), x)

Safety: a function that captures nothing, and reads nothing that can be rebound, computes the same wherever it is:
safe. Exceptions need a rerun (docs/safety.md): defaults or annotations that may fail at import, operands that may be
pytrees of the program's own classes, and traces that may warn, read a setting or keep an array that is deleted later.
A module variable that is bound once counts as never rebound if its name is that of a constant (`RATE`) or private
(`_rate`).

A captured variable that becomes an argument is traced: `isinstance(k, int)` answers differently, and `1.0 - k` of a
Python number is rounded to single precision. Before jax 0.6.1, an array in the carry is stored for every step of a
differentiated loop (0.6.0: of a mapped one), so with such a jax nothing is put into a carry. A body that calls `loss`
must see that `loss` reads another batch by now; therefore `retrace` traces at every call and never returns a
remembered result. `retrace` runs the operations of the original one by one, on the same values; under a `grad` it
traces with known values, so a function that needs a value (`if x > 0`) is started twice.

A function goes under `jit` if it can be traced as a whole, reads nothing that changes, has only known calls that pass
arrays, and unrolls no loop; its results are then equal up to rounding. Declined: random numbers and clocks, which
give another program at every call; under a transformation, side effects at trace time and branches on the argument;
calls in f-strings.

A loop that the project runs under a trace, and a method of a class whose base is elsewhere, are reported only if code
repeats them outside of a trace, or a run shows that they compile again.

Evidence: fewer compiles, bitwise equal outputs; equal up to rounding where `jit` is added.

Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
"""

import ast
from collections.abc import Iterator
from dataclasses import replace
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
    Recipe,
    Safety,
    Staging,
    Why,
)
from jaxfix.api.analysis import (
    Transformed,
    callers,
    control_flow_calls,
    eager_transformations,
    selection,
    varies_by_callers,
)
from jaxfix.api.library import CONTROL_FLOW, Package, where
from jaxfix_codemods.callers import is_left_to_others
from jaxfix_codemods.local_loop_function import transforming
from jaxfix_codemods.local_loop_function.anew import function_arguments, is_made_anew, made_at
from jaxfix_codemods.local_loop_function.jitting import jitted
from jaxfix_codemods.local_loop_function.judging import Move, computes_with_lifted, is_doubted, judge, keeps_carry
from jaxfix_codemods.local_loop_function.naming import around, last_part, shown
from jaxfix_codemods.local_loop_function.retracing import check_gain, retraced, title
from jaxfix_codemods.local_loop_function.rewriting import rewrite

_LAYERS = where(Package.LAYERS)
MadeAnew = list[tuple[ast.expr, str]]
Judged = Move | Reason


def find(module: Module) -> Iterator[Finding]:
    transformed = eager_transformations(module)
    mapped: set[Transformed] = set()
    for call in control_flow_calls.control_flow(module):
        made_anew = [(use, role) for use, role in function_arguments(module, call) if is_made_anew(module, call, use)]
        if not made_anew or module.get(Staging).is_staged(call):
            continue  # compiled once, perhaps with the program around it
        move = _move(module, call, made_anew)
        around_it = {each for each in transformed if call in each.control_flow}
        if around_it and isinstance(move, Move) and move.lifted:
            move = Reason(Code.COST, "an array in the carry can cost memory under a transformation")
        elif isinstance(move, Move) and move.lifted and keeps_carry(module, move):
            move = Reason(
                Code.COST, "before jax 0.6.1 an array in the carry is kept for every step, where it is transformed"
            )
        if isinstance(move, Reason) and selection.selectable(module, call):
            continue  # `jnp.where` is the better cure
        only_there = {each for each in around_it if module.function(call) not in each.bypassed}
        if any(each.is_derivative or each.is_retraced for each in only_there):
            continue
        if only_there and isinstance(move, Reason):
            mapped |= only_there
            continue
        if module.get(Staging).may_repeat(_repeated(module, call, made_anew)):
            yield _finding(
                module,
                call,
                made_anew,
                move,
                lost=module.get(Staging).differentiated(call, eagerly=True) and not around_it,
            )
    for each in transformed:
        if each.is_derivative and all(selection.selectable(module, call) for call in each.control_flow):
            continue
        if not each.is_retraced and (each.is_derivative or each in mapped):
            yield from transforming.findings(module, each)


def _move(module: Module, call: ast.Call, made_anew: MadeAnew) -> Judged:
    try:
        return judge(module, call, control_flow_calls.primitive_of(module, call) or "", made_anew)
    except Declined as declined:
        return declined.reason


def _repeated(module: Module, call: ast.Call, made_anew: MadeAnew) -> ast.AST:
    """What makes the functions when it runs again."""
    return call if control_flow_calls.wraps_its_functions(module, call) else made_at(module, made_anew[0][0])


def _is_made_in_vain(module: Module, call: ast.Call, made_anew: MadeAnew) -> bool:
    """Whether it was read that the same program is made repeatedly, not one for each thing of a caller's loop."""
    if not any(
        module.get(Staging).surely_repeats(made_at(module, use)) and module.get(Staging).surely_repeats(call)
        for use, _ in made_anew
    ):
        return False
    functions = [(module.definition(use), made_at(module, use)) for use, _ in made_anew]
    return not any(function and varies_by_callers(module, function, made) for function, made in functions)


def _finding(module: Module, call: ast.Call, made_anew: MadeAnew, move: Judged, *, lost: bool) -> Finding:
    """The finding of one call; `lost` where only a derivative that is not seen here runs it."""
    primitive = control_flow_calls.primitive_of(module, call) or ""
    names = shown(module, *(use for use, _ in made_anew))
    again = _is_made_in_vain(module, call, made_anew) and module.qualname(call.func) == primitive
    found = partial(
        Finding,
        at=call,
        message=f"{_cause(module, call, names, made_anew)} at every call of `{around(module, call)}`: "
        f"`{last_part(primitive)}` compiles again",
        confidence=Confidence.CERTAIN if again else Confidence.POSSIBLE,
        moot=not again and (_is_in_layer(module, call) or is_left_to_others(module, call)),
    )
    moved = f"Hoist {names} out of `{around(module, call)}`"
    if isinstance(move, Move) and not lost:
        plain = not move.lifted and move.before in module.tree.body and not is_doubted(module, move)
        safety = Safety.SAFE if plain else Safety.NEEDS_EVIDENCE
        equality = Equality.NUMBERS if computes_with_lifted(move) else None
        made = found(title=moved, recipe=partial(rewrite, module, move), safety=safety, equality=equality)
        return replace(made, guess=bool(move.lifted))  # constants in a carry: a `jit` of a caller is shorter
    if (whole := jitted(module, call)) is not None:
        return found(title=whole.title, recipe=whole.recipe, safety=Safety.NEEDS_EVIDENCE, equality=Equality.ROUNDING)
    try:
        if lost:
            raise Declined(
                Reason(
                    Code.RECOMPILES,
                    "under an eager `grad` the loop is traced again whatever its functions are: `jit` the caller",
                )
            )
        recipe = _retraced(module, call, made_anew)
    except Declined as declined:
        is_alone = module.surroundings.helpers is None
        return found(title=moved, declined=move if is_alone and isinstance(move, Reason) else declined.reason)
    return found(title=title(primitive), recipe=recipe, safety=Safety.NEEDS_EVIDENCE, guess=True)


def _is_in_layer(module: Module, call: ast.Call, known: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether a layer of a model runs `call`, perhaps through functions that only layers call.

    A `jit` around the model does more than any change here.
    """
    around = module.functions_around(call)
    owner = module.method_of(around[-1]) if around else None
    bases = (module.qualname(base) or "" for base in owner.bases) if owner is not None else ()
    if any(base.rpartition(".")[0] in _LAYERS for base in bases):
        return True
    function = around[-1] if around and module.nodes(ast.ClassDef) else None
    if owner is not None or not isinstance(function, ast.FunctionDef) or function in known:
        return False
    uses = callers(module, function)
    is_called = bool(uses.calls) and not (uses.others or uses.outside)
    return is_called and all(_is_in_layer(module, each, known | {function}) for each in uses.calls)


def _retraced(module: Module, call: ast.Call, made_anew: MadeAnew) -> Recipe:
    if module.qualname(call.func) not in CONTROL_FLOW:
        name = module.text(call.func)
        raise Declined(Reason(Code.UNREAD, f"`{name}` may be another function, and what that does is unknown"))
    functions = [definition for use, _ in made_anew if (definition := module.definition(use)) is not None]
    check_gain(module, [*functions, *(use for use, _ in made_anew)])
    return retraced(module, call.func)


def _cause(module: Module, call: ast.Call, names: str, made_anew: MadeAnew) -> str:
    if control_flow_calls.wraps_its_functions(module, call):
        is_older = control_flow_calls.older_cond(module, call) is not None
        older = ", where each branch has an operand of its own," if is_older else ""
        primitive = last_part(control_flow_calls.primitive_of(module, call) or "")
        return f"`{primitive}`{older} wraps {names} in {'new functions' if len(made_anew) > 1 else 'a new function'}"
    return f"{names} {'are new functions' if len(made_anew) > 1 else 'is a new function'}"


CODEMOD = Codemod(
    id="local-loop-function",
    triggers=tuple(CONTROL_FLOW),
    safety=Safety.SAFE,
    equality=Equality.BITWISE,
    find=find,
    cures=(Why.FUNCTION, Why.CONSTANT),
    programs=("scan", "while", "cond"),
)
