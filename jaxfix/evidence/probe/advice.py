"""Expensive work of a program that its text does not show, by line."""

from collections.abc import Iterator
from math import prod
from typing import Any

from .branches import both
from .lines import Lines
from .noted import LEAST, parts_of, place_of

_MOST = 8
_CALLING = {"debug_print": "jax.debug.print", "debug_callback": "jax.debug.callback"}
_ONE_HOT = "_one_hot"
_SAME = {"convert_element_type", "reshape", "transpose", "squeeze", "broadcast_in_dim"}
_PRODUCTS = {"dot_general", "mul"}


def advised(closed: Any, lines: Lines, user: list[str]) -> list[dict[str, Any]]:
    """As `Noted`: what scans stack that does not change, calls of the host, products with one-hot arrays, branches.

    Each has its line.
    """
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for note, equation, about in _dear(closed.jaxpr):
        place = place_of(equation, lines, user)
        if place is None:
            continue
        size = 0 if isinstance(about, str) else _bytes(about)
        what = about if isinstance(about, str) else f"{about.dtype}[{','.join(map(str, about.shape))}]"
        key = (note, what, place["path"], place["cell"], place["line"])
        found.setdefault(key, {"note": note, **place, "what": what, "bytes": size})
    return sorted(found.values(), key=lambda entry: -entry["bytes"])[:_MOST]


def _dear(jaxpr: Any) -> Iterator[tuple[str, Any, Any]]:
    """The expensive work, by which equation, and its subject: the type of an array, or words."""
    one_hot = dict[int, Any]()
    yield from (("both-branches", equation, words) for equation, words in both(jaxpr))
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        if name in _CALLING:
            yield "callback", equation, _CALLING[name]
        if name == "scan":
            yield from (("stacked", equation, aval) for aval in _unchanging(equation) if _bytes(aval) >= LEAST)
        hot = [one_hot[id(var)] for var in equation.invars if id(var) in one_hot]
        if equation.params.get("name") == _ONE_HOT:
            one_hot[id(equation.outvars[0])] = equation.outvars[0].aval
        elif hot and name in _SAME:
            one_hot[id(equation.outvars[0])] = hot[0]
        elif hot and name in _PRODUCTS and _bytes(hot[0]) >= LEAST:
            yield "one-hot", equation, hot[0]
        for part in parts_of(equation):
            yield from _dear(getattr(part, "jaxpr", part))


def _unchanging(equation: Any) -> Iterator[Any]:
    """The types of what a scan stacks, and later code uses, although each iteration gives the same."""
    inner, params = equation.params["jaxpr"].jaxpr, equation.params
    consts, carry = params["num_consts"], params["num_carry"]
    same = {id(var) for var in inner.invars[:consts]}
    carried = zip(inner.invars[consts : consts + carry], inner.outvars[:carry], strict=True)
    same |= {id(var) for var, out in carried if var is out}
    for var, out in zip(inner.outvars[carry:], equation.outvars[carry:], strict=True):
        if id(var) in same and type(out).__name__ != "DropVar":
            yield out.aval


def _bytes(aval: Any) -> int:
    """What an array of this type takes; 0 where its shape or its type does not tell."""
    sizes = getattr(aval, "shape", ())
    if not all(isinstance(size, int) for size in sizes):
        return 0
    return int(prod(sizes) * getattr(getattr(aval, "dtype", None), "itemsize", 0))
