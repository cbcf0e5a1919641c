"""What a step that raises leaves bound: under `jit` nothing is, and somebody may go on with what was."""

import ast
from collections.abc import Sequence

from jaxfix.api import Code, Declined, Module, Reason, walk
from jaxfix.api.analysis import TAKES_ERRORS, errors_taken, takes_errors


def check_half_done(module: Module, row: Sequence[ast.stmt | ast.expr], scope: ast.AST) -> None:
    """Raises `Declined` where attributes are bound before the last statement of a step whose errors are taken."""
    bound = [number for number, statement in enumerate(row) if any(map(_binds_attribute, walk(statement)))]
    if not bound or bound[0] == len(row) - 1:
        return
    if any(map(takes_errors, module.ancestors(row[0]))):
        raise Declined(_reason("the block around", row[bound[0]]))
    name = next((each for each in _leading_to(module, scope) if _is_taken(module, each)), None)
    if name is not None:
        raise Declined(_reason(f"a caller of `{name}`", row[bound[0]]))


def _binds_attribute(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)


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
    text = f"{who} takes errors: of a step that raises line {statement.lineno} has bound an attribute, under `jit` none"
    return Reason(Code.ESCAPES, text, statement.lineno)
