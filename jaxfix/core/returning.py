"""What functions return."""

import ast
from weakref import WeakKeyDictionary

from jaxfix.core.scopes import Function
from jaxfix.core.tree import statements

_KNOWN: WeakKeyDictionary[Function, tuple[ast.expr, ...]] = WeakKeyDictionary()


def returned(function: Function) -> tuple[ast.expr, ...]:
    """The expressions that `function` returns, those of functions inside it left out."""
    if isinstance(function, ast.Lambda):
        return (function.body,)
    found = _KNOWN.get(function)
    if found is None:
        returns = (s for s in statements(function.body) if isinstance(s, ast.Return))
        found = _KNOWN[function] = tuple(each.value for each in returns if each.value is not None)
    return found
