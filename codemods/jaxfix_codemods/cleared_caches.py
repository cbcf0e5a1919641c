"""`jax.clear_caches()` in a training loop, which compiles all of it again.

`jax.clear_caches` drops every compiled program: what the loop calls next is traced and compiled as at the first time.
It is often there for memory that grows; then something else keeps it, such as a function that each iteration creates,
or results that wait to be read.

Before:
    import jax
    import jax.numpy as jnp


    @jax.jit
    def update(params, x):
        return params - 0.1 * jnp.tanh(params - x)


    params = jnp.zeros(3)
    for x in jnp.linspace(0.0, 1.0, 10):
        params = update(params, x)
        jax.clear_caches()
    print(params)

After:
    import jax
    import jax.numpy as jnp


    @jax.jit
    def update(params, x):
        return params - 0.1 * jnp.tanh(params - x)


    params = jnp.zeros(3)
    for x in jnp.linspace(0.0, 1.0, 10):
        params = update(params, x)
    print(params)

Safety: report only. A function that reads what the program rebinds is traced again only because its program is gone:
without the call it keeps the first value.

Left alone: calls outside of loops, or at some iterations alone; loops in which no jitted function takes a state that
comes back, such as one over sizes of models, which compiles in each iteration anyway; and tests.

Evidence: fewer compiles.

Source: https://docs.jax.dev/en/latest/_autosummary/jax.clear_caches.html
"""

import ast
from collections.abc import Iterator

from jaxfix.api import Code, Codemod, Confidence, Finding, Module, Reason, Safety, Staging, jit_of, walk
from jaxfix.api.analysis import argument_values, binds_again

_CLEARING = "jax.clear_caches"
_CHOOSING = (ast.If, ast.Try, ast.Match, ast.BoolOp, ast.IfExp)
_LEAVING = (ast.Continue, ast.Break, ast.Return)
_BY_HAND = (
    "remove the call: if memory grows without it, `jaxfix trace -- python PROGRAM` names what compiles and what stays"
)


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    for call in module.calls(_CLEARING):
        loop = _loop(module, call)
        step = _step(module, loop) if loop is not None and not _is_at_times(module, call, loop) else None
        if step is not None:
            yield _finding(module, call, step)


def _loop(module: Module, node: ast.AST) -> ast.For | ast.While | None:
    return next((loop for loop in module.loops(node) if isinstance(loop, ast.For | ast.While)), None)


def _is_at_times(module: Module, call: ast.Call, loop: ast.For | ast.While) -> bool:
    """Whether a condition of the iteration decides about the call, or whether there is another iteration."""
    leaving = (node for node in walk(loop) if isinstance(node, _LEAVING) and node.lineno < call.lineno)
    if any(leaving) or isinstance(loop.body[-1], _LEAVING):
        return True
    around = module.ancestors(call)
    return any(isinstance(node, _CHOOSING) and loop in module.ancestors(node) for node in around)


def _step(module: Module, loop: ast.For | ast.While) -> ast.Call | None:
    """A call of a jitted function in each iteration, of a state that comes back: its types stay, and its program."""
    calls = (part for part in walk(loop) if isinstance(part, ast.Call) and _loop(module, part) is loop)
    states = (call for call in calls if any(_comes_back(module, call, value, loop) for value in argument_values(call)))
    return next((call for call in states if _is_jitted(module, call.func)), None)


def _comes_back(module: Module, call: ast.Call, value: ast.expr, loop: ast.For | ast.While) -> bool:
    """Whether `value` is what the call of the iteration before has bound: no other statement of the loop binds it."""
    if not binds_again(module, call, value):
        return False
    named = {node.id for node in walk(value) if isinstance(node, ast.Name)}
    stores = (node for node in walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return all(module.statement(node) is module.statement(call) for node in stores if node.id in named)


def _is_jitted(module: Module, func: ast.expr) -> bool:
    """Whether it is a jitted function, or a partial of one."""
    made = module.only_value(func) if isinstance(func, ast.Name) else None
    if isinstance(made, ast.Call) and made.args and module.qualname(made.func) == "functools.partial":
        return _is_jitted(module, made.args[0])
    return jit_of(module, func) is not None


def _finding(module: Module, call: ast.Call, step: ast.Call) -> Finding:
    staging, name = module.get(Staging), " ".join(module.text(step.func).split())
    sure = staging.is_eager(call) and staging.surely_repeats(call)
    return Finding(
        at=call,
        message=f"it drops all programs in each iteration: `{name}` and whatever else the loop calls compile again",
        title="Remove `jax.clear_caches()` from the loop",
        declined=Reason(Code.HINT, _BY_HAND),
        confidence=Confidence.CERTAIN if sure else Confidence.POSSIBLE,
        certain_if="this loop runs",
    )


CODEMOD = Codemod(
    id="cleared-caches",
    triggers=(_CLEARING,),
    safety=Safety.DISPLAY_ONLY,
    equality=None,
    find=find,
)
