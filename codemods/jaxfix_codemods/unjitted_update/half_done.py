"""What a failing step leaves bound: under `jit` nothing, where the original has bound some variables."""

import ast
from collections.abc import Sequence

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import TAKES_ERRORS, errors_taken, takes_errors
from jaxfix_codemods.unjitted_update.rows import block_of


def check_half_done(module: Module, row: Sequence[ast.stmt | ast.expr], scope: ast.AST) -> None:
    """Raises `Declined` where something is bound before the last statement of a step whose errors are taken.

    What is between the statements, and runs before or after all of them, may end them as well: by an iterator that
    is exhausted, too.
    """
    ends = _ends_blocks if gaps(module, row) else takes_errors
    block = next(filter(ends, module.ancestors(row[0])), None)
    for statement in row[:-1]:
        binds_own = any(map(_binds_attribute, walk(statement)))
        if block is not None and (binds_own or _is_seen_after(module, block, statement, scope)):
            raise Declined(_reason("the block around", statement))
        name = (
            next((each for each in _leading_to(module, scope) if _is_taken(module, each)), None) if binds_own else None
        )
        if name is not None:
            raise Declined(_reason(f"a caller of `{name}`", statement))


def gaps(module: Module, row: Sequence[ast.stmt | ast.expr]) -> list[ast.stmt]:
    """The other statements that stand between those of the step."""
    statements = {module.statement(part) for part in row}
    block = block_of(module, module.statement(row[0]))
    places = [index for index, each in enumerate(block) if each in statements]
    return [each for each in block[places[0] : places[-1]] if each not in statements]


def _ends_blocks(node: ast.AST) -> bool:
    return isinstance(node, ast.Try) and bool(node.handlers)


def _is_seen_after(module: Module, block: ast.AST, statement: ast.AST, scope: ast.AST) -> bool:
    """Whether a variable that a statement binds may be read once an error has ended the block."""
    bound = {node.id for node in walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {name for node in walk(statement) if (name := _filled(node)) is not None}
    if module.loops(block):
        return bool(bound)
    inside = {node for each in getattr(block, "body", ()) for node in walk(each)}
    return any(
        isinstance(node, ast.Name) and node.id in bound and node not in inside and isinstance(node.ctx, ast.Load)
        for node in walk(scope)
    )


def _binds_attribute(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)


def _filled(node: ast.AST) -> str | None:
    """The dictionary of which it binds an entry."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
            return name
    return None


def _is_taken(module: Module, name: str) -> bool:
    return name in module.get(errors_taken) or module.surroundings.project.ask(TAKES_ERRORS, name)


def _leading_to(module: Module, scope: ast.AST) -> list[str]:
    """The name of a function, and of those of the file that call something by that name."""
    names = [scope.name] if isinstance(scope, ast.FunctionDef) else []
    for name in names:  # grows
        for call in module.spelled_calls(frozenset({name})):
            caller = module.function(call)
            if isinstance(caller, ast.FunctionDef) and caller.name not in names:
                names.append(caller.name)
    return names


def _reason(who: str, statement: ast.stmt | ast.expr) -> Reason:
    text = f"{who} catches errors: if the step raises, line {statement.lineno} has run, and under `jit` it would not"
    return Reason(Code.ESCAPES, text, statement.lineno)
