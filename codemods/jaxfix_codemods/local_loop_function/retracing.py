"""The last resort: the call is traced at every time, and compiled once for what it computes."""

import ast
from functools import partial

from jaxfix.api import Code, Declined, Module, Reason, Recipe, Rewriter, walk
from jaxfix.api.analysis import is_impure
from jaxfix_codemods.local_loop_function.naming import last_part


def title(callee: str) -> str:
    return f"Wrap `{last_part(callee)}` in `retrace`, which compiles once for what it computes"


def retraced(module: Module, taker: ast.expr) -> Recipe:
    """Wraps `taker`, the function that is called.

    Raises:
      Declined: it cannot be wrapped.
    """
    if not module.has_exact_spans(taker):
        raise Declined(Reason(Code.FORMAT_STRING, "the call is inside an f-string"))
    if module.surroundings.helpers is None:
        raise Declined(Reason(Code.NO_PLACE, "there is no place for the file that `retrace` comes from"))
    return partial(_wrap, taker)


def _wrap(taker: ast.expr, edit: Rewriter) -> None:
    edit.wrap(taker, f"{edit.helper('retrace', at=taker)}(", ")")


def check_gain(module: Module, functions: list[ast.AST]) -> None:
    """What is another program at every call is compiled at every call, retraced or not.

    Raises:
      Declined: one of the functions draws numbers or asks for the time.
    """
    for function in functions:
        for node in walk(function):
            if isinstance(node, ast.Call) and is_impure(module.qualname(node.func)):
                raise Declined(
                    Reason(
                        Code.IMPURE,
                        f"`{module.text(node.func)}` returns a different value at every trace, and is compiled again",
                    )
                )
