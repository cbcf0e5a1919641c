"""What decorators of a file put around a function: it runs at each call, and once under a trace."""

import ast
from collections.abc import Iterator

from jaxfix.semantic.classes import class_of, methods
from jaxfix.semantic.module import Module
from jaxfix.staging.visibility import is_known_decorator
from jaxfix.syntax.nodes import FUNCTIONS, Function, walk


def wrappers(module: Module, function: Function) -> Iterator[Function]:
    """The functions of this file that may run when `function` is called by its name; decorators themselves run once."""
    for decorator in getattr(function, "decorator_list", ()):
        if is_known_decorator(module, decorator):
            continue
        made_by = decorator.func if isinstance(decorator, ast.Call) else decorator
        maker, owner = module.definition(made_by), class_of(module, made_by)
        if maker is not None:
            yield from (each for each in walk(maker) if isinstance(each, FUNCTIONS) and each is not maker)
        if owner is not None:
            yield from methods((owner,), "__call__")
