"""Names of arguments that a jitted function does not have: jax warned of them once."""

import ast
from collections.abc import Iterator
from functools import partial

from jaxfix.api import FUNCTIONS, Finding, Function, Module, Rewriter
from jaxfix.api.library import Keyword
from jaxfix_codemods.removed_api.fates import fate
from jaxfix_codemods.removed_api.telling import certain

_PARTIAL = "functools.partial"


def unknown_names(module: Module, row: Keyword) -> Iterator[Finding]:
    """Each list of names, written out, of which the function of this file lacks some."""
    if fate(module, row) is None:
        return
    for keyword in module.nodes(ast.keyword):
        if keyword.arg == row.old and isinstance(keyword.value, ast.Tuple | ast.List | ast.Constant):
            function = _function(module, module.parent(keyword), row)
            names = _names(keyword.value)
            if function is None or function.args.kwarg is not None or names is None:
                continue
            taken = {arg.arg for arg in (*function.args.args, *function.args.kwonlyargs)}
            unknown = [name for name in names if name.value not in taken]
            if unknown:
                yield _finding(module, row, keyword.value, names, unknown)


def _finding(
    module: Module, row: Keyword, value: ast.expr, names: list[ast.Constant], unknown: list[ast.Constant]
) -> Finding:
    told = " and ".join(f"`{name.value!s}`" for name in unknown)
    are = "is not a parameter" if len(unknown) == 1 else "are not parameters"
    message = f"{told} in `{row.old}` {are} of the function: the line raises since jax {row.life.removed}"
    kept = [name for name in names if name not in unknown]
    return certain(
        module, row, Finding(unknown[0], message, f"Remove {told}", partial(_keep, module, value, kept)), is_same=False
    )


def _keep(module: Module, value: ast.expr, kept: list[ast.Constant], edit: Rewriter) -> None:
    texts = [module.text(name) for name in kept]
    edit.replace(value, f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})")


def _names(value: ast.expr) -> list[ast.Constant] | None:
    """The strings in order; None where something else is among them."""
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    found = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return found if len(found) == len(parts) else None


def _function(module: Module, call: ast.AST | None, row: Keyword) -> Function | None:
    """The function of this file that the call compiles, or that it decorates before anything else does."""
    if not isinstance(call, ast.Call):
        return None
    is_bound = module.qualname(call.func) == _PARTIAL and call.args != []
    if module.qualname(call.args[0] if is_bound else call.func) != row.function:
        return None
    outer = module.parent(call)
    if isinstance(outer, ast.FunctionDef) and outer.decorator_list and outer.decorator_list[-1] is call:
        return outer
    made = outer if is_bound and isinstance(outer, ast.Call) and outer.func is call else call if not is_bound else None
    function = module.definition(made.args[0]) if made is not None and made.args else None
    is_plain = isinstance(function, FUNCTIONS) and not getattr(function, "decorator_list", [])
    return function if is_plain else None
