"""A scan whose backward pass stores the intermediate values of every iteration.

To differentiate `lax.scan` (or `lax.fori_loop` and `lax.map`, which become one), jax stores the intermediate values of
the body for every iteration: the activations of a hundred layers, or of a thousand steps. `jax.checkpoint` stores only
the carry and recomputes the rest in the backward pass: much less memory, for at most the time of one more forward pass.

Before:
    import jax
    import jax.numpy as jnp


    def forward(layers, x):
        def layer(h, w):
            return jnp.tanh(h @ w) + jnp.sin(h), None

        h, _ = jax.lax.scan(layer, x, layers)
        return jnp.sum(h**2)


    step = jax.jit(jax.grad(forward))
    print(step(jnp.full((24, 64, 64), 0.01), jnp.ones((512, 64))).shape)

After:
    import jax
    import jax.numpy as jnp


    def forward(layers, x):
        def layer(h, w):
            return jnp.tanh(h @ w) + jnp.sin(h), None

        h, _ = jax.lax.scan(jax.checkpoint(layer, prevent_cse=False), x, layers)
        return jnp.sum(h**2)


    step = jax.jit(jax.grad(forward))
    print(step(jnp.full((24, 64, 64), 0.01), jnp.ones((512, 64))).shape)

Safety: on request. Results are equal up to rounding, and `jaxfix apply --goal memory` trades time for memory. Without
that option nothing is reported, as a scan is not a mistake. Declined: bodies that are unknown, or that print, call
back or have other side effects, in a helper too, which would happen twice. Left alone: bodies that are checkpointed
already, and scans that run eagerly, where the new function would compile at every call.

Evidence: compiled programs need a tenth less temporary memory (`memory_analysis`), at least one megabyte, with no
more compiles; results, and gradients beside the original, agree up to the rounding of another program. The receipt
gives the cost in floating-point operations (`cost_analysis`, which counts the body of a loop once); a fix whose warm
step takes 1.5 times as long in three runs is refused. If nothing is differentiated, nothing is stored, and the fix
has no effect.

Source: https://docs.jax.dev/en/latest/gradient-checkpointing.html and
https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
"""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import (
    Code,
    Codemod,
    Declined,
    Equality,
    Finding,
    Function,
    Module,
    Proves,
    Reason,
    Rewriter,
    Safety,
    Staging,
)
from jaxfix.api.analysis import Change, Offer, effects
from jaxfix.api.library import CONTROL_FLOW, Transform, where
from jaxfix_codemods.following import runs_host_code

_CHECKPOINTS = where(Transform.RECOMPUTES)
_LOOPS = ("jax.lax.scan", "jax.lax.map", "jax.lax.fori_loop")
"""Those that have a gradient in reverse."""


def find(module: Module) -> Iterator[Finding]:
    staging = module.get(Staging)
    for call in module.calls(*_LOOPS):
        body = _body(module, call)
        if body is None or staging.is_eager(call):
            continue
        function = module.definition(body)
        if not _is_checkpointed(module, body, function):
            yield _finding(module, call, body, function)


def _body(module: Module, call: ast.Call) -> ast.expr | None:
    """The function of one iteration, where the position of an argument says which it is."""
    at = CONTROL_FLOW[module.qualname(call.func) or ""].calls[0].position
    before = call.args[: at + 1]
    return before[at] if len(before) > at and not any(isinstance(each, ast.Starred) for each in before) else None


def _is_checkpointed(module: Module, body: ast.expr, function: Function | None) -> bool:
    made = module.only_value(body) if isinstance(body, ast.Name) and function is None else body
    decorators = function.decorator_list if isinstance(function, ast.FunctionDef) else []
    candidates = [*decorators, *([made.func] if isinstance(made, ast.Call) else [])]
    names = {module.qualname(each.func if isinstance(each, ast.Call) else each) for each in candidates}
    return any(name in _CHECKPOINTS for name in names) or any(_names_one(module, each) for each in decorators)


def _names_one(module: Module, decorator: ast.expr) -> bool:
    """Whether a decorator is a `partial` of a checkpoint."""
    return any(module.qualname(part) in _CHECKPOINTS for part in ast.walk(decorator) if isinstance(part, ast.expr))


def _finding(module: Module, call: ast.Call, body: ast.expr, function: Function | None) -> Finding:
    name = module.text(body) if isinstance(body, ast.Name | ast.Attribute) else "its body"
    shown = f"`{name}`" if isinstance(body, ast.Name | ast.Attribute) else name
    kind = "scan" if module.qualname(call.func) == "jax.lax.scan" else "loop"
    title = f"Recompute {shown} in the backward pass"
    reason = Reason(Code.ON_REQUEST, f"time for memory: `jaxfix apply {Change.LESS_MEMORY.value}` writes it")
    offers: tuple[Offer, ...] = (Offer(Change.LESS_MEMORY, title, partial(_checkpoint, module, body)),)
    try:
        _check(module, body, function)
    except Declined as declined:
        reason, offers = declined.reason, ()
    return Finding(
        at=call,
        message=f"a gradient of this {kind} stores what {shown} computes, for every iteration",
        title=title,
        declined=reason,
        moot=True,
        offers=offers,
        certain_if="it is differentiated",
    )


def _check(module: Module, body: ast.expr, function: Function | None) -> None:
    """Raises `Declined` where the body may do something that is seen twice."""
    if function is None:
        raise Declined(Reason(Code.UNREAD, f"`{module.text(body)}` is unknown"))
    for reason in effects(module, function):
        raise Declined(reason)
    if runs_host_code(module, body):
        text = f"`{module.text(body)}` may call back to the host, which would happen twice"
        raise Declined(Reason(Code.SIDE_EFFECT, text))


def _checkpoint(module: Module, body: ast.expr, edit: Rewriter) -> None:
    jax = edit.imported("jax", prefer="jax", at=body)
    edit.wrap(body, f"{jax}.checkpoint(", ", prevent_cse=False)")


CODEMOD = Codemod(
    id="remat-scan",
    triggers=_LOOPS,
    safety=Safety.ON_REQUEST,
    equality=Equality.FUSED,
    find=find,
    proves=Proves.LESS_TEMPORARY,
)
