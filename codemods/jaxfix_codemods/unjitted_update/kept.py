"""Functions and optimizers that a dictionary keeps: `losses["l2"](params)`, `optimizers["adam"].update(...)`."""

import ast
from collections.abc import Iterator

from jaxfix.api import Code, Declined, Module, Reason
from jaxfix.api.analysis import Values, demands
from jaxfix.api.library import Effect, short_names
from jaxfix_codemods.unjitted_update.variables import transforms

_FUNCTIONAL = short_names(Effect.FUNCTIONAL)


def item_of(module: Module, use: ast.expr) -> ast.Subscript | None:
    """The item of the dictionary `use` that is called, transformed, or updates; None where it is data."""
    item = module.parent(use)
    if not isinstance(item, ast.Subscript) or item.value is not use or not isinstance(item.slice, ast.Constant):
        return None
    match module.parent(item):
        case ast.Call(func=func) as call if func is item or (call.args[:1] == [item] and transforms(module, call)):
            return item
        case ast.Attribute(attr=attr) as method if attr in _FUNCTIONAL:
            around = module.parent(method)
            return item if isinstance(around, ast.Call) and around.func is method else None
    return None


def check_item(module: Module, values: Values, item: ast.Subscript) -> None:
    """Refuses an item that may be a function which a trace does not do as often as the calls."""
    for source in _sources(module, values, item):
        if isinstance(source, ast.FunctionDef | ast.Lambda):
            reason = demands(module, source).reason
            if reason is not None:
                raise Declined(reason.restated(f"the step calls `{module.text(item)}`: {reason}"))
        elif not _is_of_library(module, source):
            raise Declined(
                Reason(Code.UNREAD, f"the step calls `{module.text(item)}`, and what the dictionary holds is unknown")
            )


def _sources(module: Module, values: Values, item: ast.Subscript) -> Iterator[ast.AST]:
    """What the item may be; of one that is looked up in another dictionary, all that this holds."""
    for source in values.origins.of(item):
        displays = values.origins.of(source.value) if isinstance(source, ast.Subscript) else ()
        held = [part for display in displays if isinstance(display, ast.Dict) for part in display.values]
        for part in held:
            yield from values.origins.of(part)
        if not held:
            yield source


def _is_of_library(module: Module, source: ast.AST) -> bool:
    """Whether it is a function of a library, or what one made."""
    made_by = source.func if isinstance(source, ast.Call) else source
    return isinstance(made_by, ast.expr) and "." in (module.qualname(made_by) or "")
