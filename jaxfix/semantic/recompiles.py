"""The node of a file that something seen by a run belongs to."""

import ast
from collections.abc import Iterator

from jaxfix.report.trace.cause import Cause, Why
from jaxfix.report.trace.compiles import Compiled
from jaxfix.report.trace.held import Held
from jaxfix.semantic.module import Module
from jaxfix.syntax.nodes import Function, walk


def recompiled(module: Module, *causes: Why) -> Iterator[tuple[ast.AST, Compiled, Cause]]:
    """The recompiles of a traced run in `module` for one of `causes`.

    Returns:
      The node to report, the entry and its cause. The node is what is on the line: the call of the program, another
      call, or the statement, of one with a block only what is before the block. What is on a line without code is
      left out.
    """
    for entry in module.recompiles:
        at = blamed(module, entry)
        if at is not None and entry.cause is not None and entry.why in causes:
            yield at, entry, entry.cause


def blamed(module: Module, entry: Compiled) -> ast.AST | None:
    """What is on the line of `entry`: the call of the program, another call, or the statement; None for no code.

    Of a statement with a block it is what is before the block.
    """
    calls = tuple(call for call in module.nodes(ast.Call) if call.lineno == entry.line)
    program = entry.program.removeprefix("jit(").removesuffix(")")
    named = [call for call in calls if _last_name(call.func) == program]
    if calls:
        return (named or calls)[0]
    match statement_at(module, entry.line):
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


def compiled_function(module: Module, held: Held) -> Function | None:
    """The function of `module` whose program holds it; None where that is unknown, or of another file."""
    if held.of is None or held.of.path != held.noted.path:
        return None
    named = [each for each in module.functions if module.path(each).endswith(held.of.function)]
    there = [each for each in named if _first_line(each) == held.of.line]
    return there[0] if there else named[0] if len(named) == 1 else None


def _last_name(expr: ast.expr) -> str | None:
    return expr.attr if isinstance(expr, ast.Attribute) else getattr(expr, "id", None)


def statement_at(module: Module, line: int) -> ast.stmt | None:
    """The innermost statement that is on `line`, decorators included; None for a line without code."""
    found = None
    for node in walk(module.tree):
        if isinstance(node, ast.stmt) and _first_line(node) <= line <= (node.end_lineno or node.lineno):
            found = node  # breadth first: what comes later is further inside
    return found


def _first_line(node: ast.stmt | ast.Lambda) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
