"""What a loop collects, and no code may read before its end."""

import ast
import sys
from collections.abc import Sequence

from jaxfix.api import Code, Declined, Module, Reason
from jaxfix.api.analysis import is_script
from jaxfix.api.library import Effect, Package, short_names, where

_SUPPRESSING = where(Effect.SUPPRESSES)
_KNOWN = where(Package.READS) | sys.stdlib_module_names
_SCOPE_READERS = short_names(Effect.SEES_NAMES, "builtins")


def check_scope(module: Module, target: ast.Name, uses: Sequence[ast.Name]) -> None:
    """The variable must be one of the function around, or of a script, that no other code sees.

    Raises:
      Declined: others may see how far it is.
    """
    name, function = target.id, module.function(target)
    statement = module.statement(target)
    if function is None and (not module.is_top_level(statement) or not is_script(module)):
        raise Declined(Reason(Code.LIVE, f"`{name}` belongs to a module or a class that others may look into"))
    if function is None and module.source.notebook is not None:
        raise Declined(Reason(Code.LIVE, f"`{name}` can be read where the cell is interrupted"))
    if module.scope_of(name, target) is not (function or module.tree):
        raise Declined(Reason(Code.LIVE, f"`{name}` belongs to an enclosing scope, where others may see it grow"))
    elsewhere = next((use for use in uses if module.function(use) is not function), None)
    if elsewhere is not None:
        text = f"a function of line {elsewhere.lineno} uses `{name}`, and may see it grow"
        raise Declined(Reason(Code.OTHER_USES, text, elsewhere.lineno))
    for reader in module.spelled_calls(_SCOPE_READERS):
        if module.function(reader) is function:
            text = f"line {reader.lineno} may look at all variables"
            raise Declined(Reason(Code.SEES_SCOPE, text, reader.lineno))


def check_way(module: Module, statement: ast.stmt) -> None:
    """Nothing may go on after an error with what is collected so far.

    Raises:
      Declined: a `try` or a manager around may.
    """
    function = module.function(statement)
    for outer in module.ancestors(statement):
        if outer is function:
            break
        is_over = isinstance(outer, ast.Try) or type(outer).__name__ == "TryStar"
        if is_over or (isinstance(outer, ast.With | ast.AsyncWith) and not _lets_errors_out(module, outer)):
            line = getattr(outer, "lineno", 1)
            text = f"after an error, what follows the `{'try' if is_over else 'with'}` of line {line} may read it"
            raise Declined(Reason(Code.LIVE, text, line))


def value_bound(module: Module, start: ast.AST) -> ast.expr | None:
    """What a name is bound to, by itself or as one of several; None where no assignment of one value says it."""
    if not isinstance(start, ast.Name):
        return None
    match module.parent(start), module.statement(start):
        case ast.Tuple(elts=elts), ast.Assign(value=ast.Tuple(elts=values)) if len(elts) == len(values):
            is_plain = not any(isinstance(each, ast.Starred) for each in (*elts, *values))
            return values[elts.index(start)] if is_plain else None
    return module.value_of(start)


def _lets_errors_out(module: Module, block: ast.With | ast.AsyncWith) -> bool:
    """Whether each of its managers is one of a library that passes errors on."""
    return all(_passes_errors_on(module, item.context_expr) for item in block.items)


def _passes_errors_on(module: Module, manager: ast.expr) -> bool:
    made_by = manager.func if isinstance(manager, ast.Call) else manager
    is_builtin = isinstance(made_by, ast.Name) and module.scope_of(made_by.id, made_by) is None
    qualname = module.qualname(made_by) or ""
    return is_builtin or (qualname.partition(".")[0] in _KNOWN and qualname not in _SUPPRESSING)
