"""What code does only where a value is a tracer: after `if not isinstance(x, jax.core.Tracer): ...; return`."""

import ast
from collections.abc import Sequence

from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import FUNCTIONS

_BLOCKS = ("body", "orelse", "finalbody")


def is_uncompiled(module: Module, node: ast.AST) -> bool:
    """Whether nothing is compiled where `node` is: it is under `jax.disable_jit`."""
    return any(
        isinstance(item.context_expr, ast.Call) and module.qualname(item.context_expr.func) == "jax.disable_jit"
        for outer in module.ancestors(node)
        if isinstance(outer, ast.With)
        for item in outer.items
    )


def is_for_tracers(module: Module, node: ast.AST) -> bool:
    """Whether every way to `node` within its function passes a value that is a tracer, and so the node a trace."""
    if not module.get(_mentions_tracers):
        return False
    inner = node
    for outer in module.ancestors(node):
        if isinstance(outer, ast.If | ast.IfExp) and _arm(outer, inner) is asks_for_tracer(module, outer.test):
            return True
        if isinstance(inner, ast.stmt) and _is_behind(module, outer, inner):
            return True
        if isinstance(outer, FUNCTIONS):
            return False
        inner = outer
    return False


def asks_for_tracer(module: Module, test: ast.expr) -> bool | None:
    """True where `test` holds for a tracer alone, False where it holds for everything else alone; else None."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            asked = asks_for_tracer(module, operand)
            return None if asked is None else not asked
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
            qualname = module.qualname(kind) or ""
            return True if qualname.startswith("jax.") and qualname.endswith(".Tracer") else None
    return None


def _mentions_tracers(module: Module) -> bool:
    return b"Tracer" in module.source.text


def _arm(branch: ast.If | ast.IfExp, inner: ast.AST) -> bool | None:
    """True for what runs where the test holds, False for what runs where it does not; None for the test."""
    if isinstance(branch, ast.IfExp):
        return True if inner is branch.body else False if inner is branch.orelse else None
    return True if inner in branch.body else False if inner in branch.orelse else None


def _is_behind(module: Module, outer: ast.AST, inner: ast.stmt) -> bool:
    """Whether a statement before `inner` leaves the function unless something is a tracer."""
    for name in _BLOCKS:
        block = getattr(outer, name, None)
        if isinstance(block, list) and inner in block:
            return any(_filters(module, statement) for statement in block[: block.index(inner)])
    return False


def _filters(module: Module, statement: ast.stmt) -> bool:
    match statement:
        case ast.With(body=body):
            return any(_filters(module, each) for each in body)
        case ast.If(test=test, body=body, orelse=orelse):
            asked = asks_for_tracer(module, test)
            return (asked is False and _leaves(module, body)) or (asked is True and _leaves(module, orelse))
    return False


def _leaves(module: Module, block: Sequence[ast.stmt]) -> bool:
    """Whether the end of `block` is reached with a tracer, or a debugger, alone."""
    for statement in block:
        match statement:
            case ast.Return() | ast.Raise() | ast.Assert(test=ast.Constant(value=False)):
                return True
            case ast.Expr(value=ast.Call(func=ast.Name(id="breakpoint"))):
                return True
            case ast.With(body=body) if _leaves(module, body):
                return True
            case ast.If(test=test, body=body, orelse=orelse):
                asked = asks_for_tracer(module, test)
                if all(asked is arm or _leaves(module, part) for arm, part in ((True, body), (False, orelse))):
                    return True
    return False
