"""Which node of a file a recompile that a run has seen is told of."""

import ast
from typing import TYPE_CHECKING

from jaxfix.core.compiled import Compiled

if TYPE_CHECKING:
    from jaxfix.core.model import Module


def blamed(module: "Module", entry: Compiled) -> ast.AST | None:
    """What stands on the line of `entry`: the call of the program, another call, or the statement; None for no code.

    Of a statement with a block it is what stands before the block.
    """
    calls = tuple(call for call in module.of(ast.Call) if call.lineno == entry.line)
    program = entry.program.removeprefix("jit(").removesuffix(")")
    named = [call for call in calls if _last_name(call.func) == program]
    if calls:
        return (named or calls)[0]
    match module.statement_at(entry.line):
        case ast.For(iter=head) | ast.AsyncFor(iter=head) | ast.While(test=head) | ast.If(test=head):
            return head
        case ast.Match(subject=head):
            return head
        case ast.With(items=[item, *_]) | ast.AsyncWith(items=[item, *_]):
            return item.context_expr
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() as definition:
            at = (d for d in definition.decorator_list if d.lineno <= entry.line <= (d.end_lineno or d.lineno))
            return next(at, definition)
        case statement:
            return statement


def _last_name(expr: ast.expr) -> str | None:
    return expr.attr if isinstance(expr, ast.Attribute) else getattr(expr, "id", None)
