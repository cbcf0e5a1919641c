"""Dictionaries that come back from `jit` with their keys in another order: sorted."""

import ast
from collections.abc import Iterator, Sequence

from jaxfix.api import Module, returned
from jaxfix.api.analysis import Values
from jaxfix_codemods.following import definitions
from jaxfix_codemods.looping.parameters import passed


def is_reordered(module: Module, values: Values, expr: ast.expr) -> bool:
    """Whether `expr` may be a dictionary with keys in another order than sorted, or hold one, by what this file says.

    Functions of the file that it calls are followed to what they return. Of comprehensions, keys that a list spells
    out are analysed, and no others.
    """
    return bool(unsorted_depths(module, values, expr))


def unsorted_depths(module: Module, values: Values, expr: ast.expr) -> frozenset[int]:
    """How deep in `expr` such dictionaries may be: 0 is itself, 1 an item of it."""
    return frozenset(depth for each, depth in _shown(module, values, expr) if _is_unsorted(module, each))


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
    """The keys under which the variable or attribute that a dictionary is bound to is given something."""
    uses: Sequence[ast.AST] = ()
    match module.statement(display):
        case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if value is display:
            uses = module.uses(name, module.scope_of(name, target))
        case ast.Assign(targets=[ast.Attribute(attr=attr)], value=value) if value is display:
            uses = module.attributes(attr)
    items = map(module.parent, uses)
    return [each.slice for each in items if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store)]


def _shown(module: Module, values: Values, expr: ast.expr) -> Iterator[tuple[ast.AST, int]]:
    """What `expr` may stand for, and hold, each with how deep it is."""
    pending, met = [(expr, 0)], set[ast.AST]()
    for each, depth in pending:  # grows
        pending += [(behind, depth) for behind in _behind(module, each) if (behind, depth) not in pending]
        for source in values.origins.of(each):
            if source not in met:
                met.add(source)
                yield source, depth
                is_whole = isinstance(source, ast.IfExp | ast.Call)
                pending += [(part, depth + (not is_whole)) for part in _parts(module, source)]


def _behind(module: Module, expr: ast.expr) -> list[ast.expr]:
    """What an attribute of that name is bound to, of whatever object, and what calls pass for a parameter."""
    if isinstance(expr, ast.Attribute):
        stores = (each for each in module.attributes(expr.attr) if isinstance(each.ctx, ast.Store))
        return [value for each in stores if (value := module.value_of(each)) is not None]
    only = module.names.only_binding(expr) if isinstance(expr, ast.Name) else None
    given = passed(module, only.node) if only is not None and isinstance(only.node, ast.arg) else ()
    return [each for each in given if isinstance(each, ast.expr)]


def _parts(module: Module, source: ast.AST) -> list[ast.expr]:
    match source:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return [part.value if isinstance(part, ast.Starred) else part for part in parts]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.Call(func=func) if module.qualname(func) is None:
            return [result for function in definitions(module, func) for result in returned(function)]
    return []
