"""Dictionaries that come back from `jit` with their keys in another order: sorted."""

import ast
from collections.abc import Iterator

from jaxfix.api import Module, returned
from jaxfix.api.analysis import Values
from jaxfix_codemods.following import definitions


def is_reordered(module: Module, values: Values, expr: ast.expr) -> bool:
    """Whether `expr` may be a dictionary with keys in another order than sorted, or hold one, by what this file says.

    Functions of the file that it calls are followed to what they return. Keys of comprehensions are not analysed.
    """
    return any(_is_unsorted(module, each) for each in _shown(module, values, expr))


def has_sorted_keys(display: ast.Dict) -> bool:
    keys = [key.value if isinstance(key, ast.Constant) else None for key in display.keys]
    texts = [key for key in keys if isinstance(key, str)]
    return len(texts) == len(keys) and texts == sorted(texts)


def _is_unsorted(module: Module, node: ast.AST) -> bool:
    match node:
        case ast.Dict():
            return not has_sorted_keys(node)
        case ast.Call(func=ast.Name(id="dict" as name), keywords=[_, *_] as keywords):
            names = [keyword.arg or "" for keyword in keywords]
            return module.scope_of(name, node) is None and names != sorted(names)
    return False


def _shown(module: Module, values: Values, expr: ast.expr) -> Iterator[ast.AST]:
    """What `expr` may stand for, and hold."""
    pending, met = [expr], set[ast.AST]()
    for each in pending:  # grows
        for source in values.origins.of(each):
            if source not in met:
                met.add(source)
                yield source
                pending += _parts(module, source)


def _parts(module: Module, source: ast.AST) -> list[ast.expr]:
    match source:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return [part.value if isinstance(part, ast.Starred) else part for part in parts]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.Call(func=func) if module.qualname(func) is None:
            return [result for function in definitions(module, func) for result in returned(function)]
    return []
