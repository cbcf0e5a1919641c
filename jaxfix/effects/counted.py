"""Calls that return as many elements as values say."""

import ast

from jaxfix.library.facets import Result, Takes
from jaxfix.library.table import where
from jaxfix.semantic.module import Module

_COUNTED = where(Result.COUNTED)
_CHOOSING = where(Result.COUNTED) & where(Takes.CONDITION)
_CHOICES = ("x", "y")
_LENGTHS = ("size", "length")


def is_counted(module: Module, call: ast.Call) -> bool:
    """Whether the values say how many elements `call` returns, and no argument: `nonzero(mask)`, `where(mask)`."""
    qualname = module.qualname(call.func)
    if qualname not in _COUNTED:
        return False
    chooses = qualname in _CHOOSING
    telling = (*_LENGTHS, *_CHOICES) if chooses else _LENGTHS
    named = [keyword.value for keyword in call.keywords if keyword.arg is None or keyword.arg in telling]
    passed = call.args[1:] if chooses else []
    return all(isinstance(each, ast.Constant) and each.value is None for each in (*passed, *named))
