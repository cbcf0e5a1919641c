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
_WIDE = "float32"
_MUCH = 1e9
"""Floating-point operations of a program that are worth a word."""


def advised(closed: Any, lines: Lines, user: list[str]) -> list[dict[str, Any]]:
    """As `Noted`: what scans stack that does not change, calls of the host, products with one-hot arrays or of float32.

    Branches under `vmap`, too. Each has its line.
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
    most = sorted(found.values(), key=lambda entry: -entry["bytes"])[:_MOST]
    return [*most, *_wide(closed.jaxpr, lines, user)]


def _wide(jaxpr: Any, lines: Lines, user: list[str]) -> Iterator[dict[str, Any]]:
    """The line whose products of float32 are the most work of a program, and how much that of all lines is."""
    work: dict[tuple[Any, ...], float] = {}
    places: dict[tuple[Any, ...], dict[str, Any]] = {}
    for equation, flops in _products(jaxpr, 1):
        place = place_of(equation, lines, user)
        if place is not None:
            key = (place["path"], place["cell"], place["line"])
            work[key] = work.get(key, 0.0) + flops
            places.setdefault(key, place)
    total = sum(work.values())
    if total >= _MUCH:
        first = max(work, key=lambda key: work[key])
        what = f"{total / 1e9:.1f} GFLOP a run, {work[first] / total:.0%} of them here"
        yield {"note": "float32-products", **places[first], "what": what, "bytes": 0}


def _products(jaxpr: Any, times: int) -> Iterator[tuple[Any, float]]:
    """The products of float32 whose precision nobody chose, with their operations; of a `while` one iteration."""
    for equation in jaxpr.eqns:
        name, params = equation.primitive.name, equation.params
        types = {str(getattr(getattr(var, "aval", None), "dtype", "")) for var in equation.invars}
        if name in ("dot_general", "conv_general_dilated") and types == {_WIDE} and params["precision"] is None:
            yield equation, 2.0 * times * prod(equation.outvars[0].aval.shape) * _summed(equation)
        inner = times * params["length"] if name == "scan" else times
        for part in parts_of(equation):
            yield from _products(getattr(part, "jaxpr", part), inner)


def _summed(equation: Any) -> int:
    """How many products each number of the result is a sum of."""
    right, params = equation.invars[1].aval.shape, equation.params
    if equation.primitive.name == "dot_general":
        (_, contracted), _ = params["dimension_numbers"]
        return prod(right[axis] for axis in contracted)
    return int(prod(right)) // max(1, int(right[params["dimension_numbers"].rhs_spec[0]]))


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
