"""Dictionaries that come back from `jit` with their keys in another order: sorted."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.api import Module, returned
from jaxfix.api.analysis import Values
from jaxfix_codemods.following import definitions


def is_reordered(module: Module, values: Values, expr: ast.expr) -> bool:
    """Whether `expr` may be a dictionary with keys in another order than sorted, or hold one, by what this file says.

    Functions of the file that it calls are followed to what they return. Of comprehensions, keys that a list spells
    out are analysed, and no others.
    """
    return any(_is_unsorted(module, each) for each in _shown(module, values, expr))


def has_sorted_keys(display: ast.Dict) -> bool:
    return _are_sorted_texts(display.keys)


def _are_sorted_texts(keys: Sequence[ast.expr | None]) -> bool:
    found = dict.fromkeys(key.value if isinstance(key, ast.Constant) else None for key in keys)
    texts = [key for key in found if isinstance(key, str)]
    return len(texts) == len(found) and texts == sorted(texts)


def _is_unsorted(module: Module, node: ast.AST) -> bool:
    match node:
        case ast.Dict():
            return not _are_sorted_texts([*node.keys, *_written_later(module, node)]) or _is_interleaved(module, node)
        case ast.Call(func=ast.Name(id="dict" as name), args=[], keywords=[_, *_] as keywords):
            names = [keyword.arg or "" for keyword in keywords]
            return module.scope_of(name, node) is None and names != sorted(names)
        case ast.Call(func=ast.Name(id="dict"), args=[ast.Call(func=ast.Name(id="zip"), args=[listed, *_])]):
            return _lists_unsorted(module, listed)
        case ast.DictComp(key=ast.Name(id=name), generators=[ast.comprehension(target=ast.Name(id=each), iter=listed)]):
            return name == each and _lists_unsorted(module, listed)
    return False


def _lists_unsorted(module: Module, listed: ast.expr) -> bool:
    made = module.only_value(listed) if isinstance(listed, ast.Name) else listed
    if not isinstance(made, ast.List | ast.Tuple):
        return False
    return all(isinstance(each, ast.Constant) for each in made.elts) and not _are_sorted_texts(made.elts)


def _written_later(module: Module, display: ast.Dict) -> list[ast.expr]:
    """The written keys that the variable of a dictionary is given after it was made."""
    return [key for key in _stored(module, display) if isinstance(key, ast.Constant)]


def _is_interleaved(module: Module, display: ast.Dict) -> bool:
    """Whether keys of two forms are put in by turns, as `f"w{i}"` and `f"b{i}"`, or those of an unsorted list."""
    keys = _stored(module, display)
    forms = {ast.unparse(key) for key in keys if isinstance(key, ast.JoinedStr | ast.BinOp)}
    return len(forms) > 1 or any(_is_of_unsorted_list(module, key) for key in keys)


def _is_of_unsorted_list(module: Module, key: ast.expr) -> bool:
    only = module.names.only_binding(key) if isinstance(key, ast.Name) else None
    match module.parent(only.node) if only is not None else None:
        case ast.For(iter=listed):
            return _lists_unsorted(module, listed)
    return False


def _stored(module: Module, display: ast.Dict) -> list[ast.expr]:
    """The keys under which the variable that a dictionary is bound to is given something."""
    match module.statement(display):
        case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if value is display:
            items = (module.parent(use) for use in module.uses(name, module.scope_of(name, target)))
            return [each.slice for each in items if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store)]
    return []


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
