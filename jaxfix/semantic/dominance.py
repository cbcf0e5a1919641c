"""Whether a line runs whenever the function or the loop around it does."""

import ast
from collections.abc import Sequence
from typing import cast

from jaxfix.semantic.module import Module

_LEAVES = (ast.Return, ast.Break, ast.Continue)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def always_runs(module: Module, node: ast.AST, around: ast.AST) -> bool:
    """Whether each run of `around`, a function or a loop, comes to `node` inside it."""
    inner = node
    for outer in module.ancestors(node):
        if _is_optional(outer, inner):
            return False
        if outer is around:
            break
        inner = outer
    statement = module.statement(node)
    return not any(leaf.lineno < statement.lineno for leaf in exits(module, around) if leaf is not statement)


def is_bound_before(module: Module, statement: ast.stmt, use: ast.AST) -> bool:
    """Whether `use` cannot run without `statement`, which binds what it reads: it is below in the same block."""
    block = _block_of(module, statement)
    around = (outer for outer in (use, *module.ancestors(use)) if isinstance(outer, ast.stmt))
    return any(outer in block[block.index(statement) + 1 :] for outer in around)


def _block_of(module: Module, statement: ast.stmt) -> list[ast.stmt]:
    around = module.parent(statement)
    fields = (getattr(around, name, None) for name in ("body", "orelse", "finalbody", "handlers"))
    return next((field for field in fields if isinstance(field, list) and statement in field), [statement])


def _is_optional(outer: ast.AST, inner: ast.AST) -> bool:
    match outer:
        case ast.If(test=test) | ast.IfExp(test=test):
            return inner is not test
        case ast.Try(body=body, finalbody=final):
            return inner not in body and inner not in final
        case ast.BoolOp(values=[first, *_]):
            return inner is not first
        case ast.Match(subject=subject):
            return inner is not subject
        case ast.comprehension(ifs=conditions):
            return inner in conditions[1:]
        case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
            return inner is elt and any(generator.ifs for generator in outer.generators)
        case ast.DictComp():
            return not isinstance(inner, ast.comprehension) and any(generator.ifs for generator in outer.generators)
    return False


def exits(module: Module, around: ast.AST) -> tuple[ast.stmt, ...]:
    """The statements that leave `around`, a function, a loop or an iteration, before its end."""
    return tuple(module.get(_exits).get(around, ()))


def _exits(module: Module) -> dict[ast.AST, list[ast.stmt]]:
    """By what they leave: all statements around, up to the function or class that they stand in."""
    found: dict[ast.AST, list[ast.stmt]] = {}
    for leaf in cast(Sequence[ast.stmt], module.nodes(*_LEAVES)):
        for outer in module.ancestors(leaf):
            found.setdefault(outer, []).append(leaf)
            if isinstance(outer, _SCOPES):
                break
    return found


def exclude(module: Module, one: ast.AST, other: ast.AST) -> bool:
    """Whether at most one of two nodes runs: they stand in the two arms of one `if`."""
    arms = {branch: _arm(module, one, branch) for branch in module.ancestors(one) if isinstance(branch, ast.If)}
    return any(
        arm is not None and (theirs := _arm(module, other, branch)) is not None and arm != theirs
        for branch, arm in arms.items()
    )


def _arm(module: Module, node: ast.AST, branch: ast.If) -> bool | None:
    inner: ast.AST = node
    for outer in module.ancestors(node):
        if outer is branch:
            return True if inner in branch.body else False if inner in branch.orelse else None
        inner = outer
    return None
