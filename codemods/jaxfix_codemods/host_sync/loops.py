"""What else happens in the loop: nothing may need a value at once, or wait for the step anyway."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.api import Code, Declined, Module, Reason, in_order, jit_of, walk
from jaxfix.api.analysis import REBINDS, iterations, leaves, reads_the_clock
from jaxfix.api.library import Effect, Iteration, Takes, short_names, where
from jaxfix_codemods.following import runs_host_code
from jaxfix_codemods.host_sync.deferring import Deferred
from jaxfix_codemods.host_sync.reads import hands_on, is_in_each, is_of_step, step_of

_MOST = 100_000
"""Numbers that may be kept on a device, at about four kilobytes each: measured with jax 0.10.2."""
_ENDLESS = where(Iteration.ENDLESS)
_LEAVING = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await)
_WAITING = short_names(Effect.WAITS) - {"device_get"}
_SILENT = (short_names(Effect.PURE, "builtins") & short_names(Effect.CALLS_NOTHING, "builtins")) - short_names(
    Takes.VALUE, "builtins"
)


def check_loop(module: Module, loop: ast.For) -> None:
    """It must end, come to what is after it, and run steps that do nothing but return new arrays.

    Raises:
      Declined: it may not.
    """
    if loop.orelse:
        raise Declined(Reason(Code.LAYOUT, "the loop has an `else`, which runs before what is after it"))
    own = tuple(_own(module, loop))
    for node in own:
        if isinstance(node, _LEAVING):
            line = getattr(node, "lineno", loop.lineno)
            raise Declined(Reason(Code.LIVE, f"line {line} may leave the function from within the loop", line))
    called = module.qualname(loop.iter.func) if isinstance(loop.iter, ast.Call) else None
    if called in _ENDLESS or (iterations(module, loop) or 0) > _MOST:
        raise Declined(Reason(Code.COST, f"an array would stay on the device for each of more than {_MOST} iterations"))
    clock = next((node for node in loop.body if reads_the_clock(module, node)), None)
    if clock is not None:
        text = f"line {clock.lineno} reads the clock, which would no longer see the step end"
        raise Declined(Reason(Code.ON_PURPOSE, text, clock.lineno))
    for node in own:
        step = step_of(module, node.func) if isinstance(node, ast.Call) else None
        if step is not None:
            _check_step(module, step)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and hands_on(module, node.func):
            text = f"`{node.func.id}` may do more than its step, which would no longer have ended then"
            raise Declined(Reason(Code.SIDE_EFFECT, text, node.lineno))


def _check_step(module: Module, step: ast.expr) -> None:
    """A step must be what this file makes it, and run nothing on the host, which others see or which fails late."""
    name, project, shown = module.surroundings.name, module.surroundings.project, " ".join(module.text(step).split())
    qualname = module.qualname(step) or (f"{name}.{step.id}" if name and isinstance(step, ast.Name) else None)
    if qualname is not None and project.ask(REBINDS, qualname):
        raise Declined(Reason(Code.REBOUND, f"another file replaces `{shown}`"))
    if runs_host_code(module, step):
        text = f"`{shown}` may call back to the host, which would happen late"
        raise Declined(Reason(Code.SIDE_EFFECT, text))


def check_waits(module: Module, loop: ast.For, deferred: Sequence[Deferred]) -> None:
    """No other statement may wait for the step in each iteration, or reach what is collected.

    Raises:
      Declined: one may.
    """
    reading = {node for each in deferred for read in each.reads for node in walk(read.value)}
    kept = {node.id for node in reading if isinstance(node, ast.Name)}
    for node in _own(module, loop):
        if node in reading or not is_in_each(module, node, loop):
            continue
        if isinstance(node, ast.Call) and _waits(node):
            raise Declined(Reason(Code.ON_PURPOSE, f"line {node.lineno} waits in each iteration anyway"))
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        if _is_tested(module, node) and is_of_step(module, node, loop):
            text = f"line {node.lineno} decides by `{node.id}` in each iteration"
            raise Declined(Reason(Code.NEEDS_VALUE, text, node.lineno))
        if node.id in kept and not _leaves_alone(module, node):
            text = f"line {node.lineno} passes `{node.id}` on in each iteration, where it may be read, or passed on"
            raise Declined(Reason(Code.ESCAPES, text, node.lineno))


def _own(module: Module, loop: ast.For) -> Iterator[ast.AST]:
    """The nodes of the block that the function of the loop runs itself, in the order of the text."""
    function = module.function(loop)
    nodes = [node for statement in loop.body for node in walk(statement)]
    placed = [node for node in nodes if hasattr(node, "lineno")]
    yield from (node for node in in_order(placed) if module.function(node) is function)


def _waits(call: ast.Call) -> bool:
    func = call.func
    return (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)) in _WAITING


def _is_tested(module: Module, name: ast.Name) -> bool:
    """Whether a condition asks for the value, and not for its shape or for whether it is there."""
    inner: ast.AST = name
    for outer in module.ancestors(name):
        match outer:
            case ast.Attribute() | ast.Lambda():
                return False
            case ast.Call(func=func) if inner is not func and not isinstance(func, ast.Attribute):
                return False
            case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
                return False
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                return test is inner
            case ast.stmt():
                return False
        inner = outer
    return False


def _leaves_alone(module: Module, name: ast.Name) -> bool:
    """Whether a use neither reads the value nor passes it on, nor gives its memory away."""
    match module.parent(name):
        case ast.FormattedValue():
            return False
        case ast.Call(func=ast.Name(id=called)) as call if module.scope_of(called, call) is None:
            return called in _SILENT
        case ast.Call(func=func) if func is not name and jit_of(module, func) is not None:
            return leaves(module, name)
    return leaves(module, name)
