"""Whether the weights of a network are so few that their memory does not matter."""

import ast

from jaxfix.api import Module
from jaxfix.api.analysis import integer
from jaxfix.api.library import Class, Package, where

_DENSE, _EMPTY, _LAYERS = where(Class.DENSE), where(Class.EMPTY), where(Package.LAYERS)
_MOST = 300_000
"""Numbers: with the state of an optimizer some megabytes, less than what a run can show."""


def has_narrow_layers(module: Module) -> bool:
    """Whether the layers that the file makes are all dense, few and narrow, as far as its text has their widths."""
    return module.get(_narrow)


def _narrow(module: Module) -> bool:
    widths = list[int | None]()
    for call in module.nodes(ast.Call):
        name = module.qualname(call.func) or ""
        if name in _DENSE:
            width = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "features"), None)
            widths.append(None if width is None else integer(module, width))
        elif name not in _EMPTY and _is_layer(name):
            return False
    known = [width for width in widths if width is not None]
    return bool(known) and len(widths) * max(known) ** 2 <= _MOST


def _is_layer(name: str) -> bool:
    package, _, last = name.rpartition(".")
    return last[:1].isupper() and any(package == each or package.startswith(f"{each}.nets") for each in _LAYERS)
