"""Other data of the same types."""

import importlib
import sys
from collections.abc import Callable, Iterator
from types import CellType, FunctionType
from typing import Any

from .samples import array, is_array, is_key, is_tracer, placed

Leaves = list[Any]
_SEED = 20


def is_plain(value: Any) -> bool:
    """Whether the value is a number or an array, and can be replaced by another one of its type."""
    if isinstance(value, bool | int | float | complex):
        return True
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray | numpy.generic):
        return value.dtype.kind in "fiubc" or "float" in value.dtype.name
    return is_array(value) and not is_tracer(value) and not is_key(value) and not value.is_deleted()


def changed(value: Any) -> Any:
    """Something else of the same type, shape and dtype; never the same value."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float | complex):
        return value * 1.5 + 0.25
    return _mapped(value, lambda host, exact: host + 1 if exact else host * 1.5 + 0.25)


def variations(leaves: Leaves, hazardous: bool) -> Iterator[tuple[str, Leaves]]:
    """Other leaves of the same types, and what is other about them, the likely ones first.

    Args:
      hazardous: whether signs and zeros may make a loop run for ever.
    """
    np = importlib.import_module("numpy")
    random = np.random.default_rng(_SEED)

    def jittered(host: Any) -> Any:
        return host * (1 + 0.1 * random.standard_normal(host.shape)) + 0.01 * random.standard_normal(host.shape)

    modes: list[tuple[str, Callable[[Any], Any]]] = [("perturbed", jittered)]
    if not hazardous:
        modes += [("perturbed, signs turned", lambda host: -host), ("perturbed, all zero", lambda host: host * 0)]
    for how, change in modes:
        yield from _if_new(how, leaves, [_inexact(leaf, change) for leaf in leaves])
    rolled = [_mapped(leaf, lambda host, _: np.roll(host, 1, axis=0)) if _is_long(leaf) else leaf for leaf in leaves]
    yield from _if_new("perturbed, in another order", leaves, rolled)
    counted = [_mapped(leaf, lambda host, _: host + 1) if _is_count(leaf) else leaf for leaf in leaves]
    yield from _if_new("perturbed, counts advanced", leaves, counted)
    for place, leaf in enumerate(leaves):
        for how, other in _alternatives(leaf, hazardous):
            yield how, [*leaves[:place], other, *leaves[place + 1 :]]


def _alternatives(leaf: Any, hazardous: bool) -> Iterator[tuple[str, Any]]:
    """What a single Python value may be instead."""
    if isinstance(leaf, bool):
        yield f"perturbed, {leaf} as {not leaf}", not leaf
    elif isinstance(leaf, int):
        yield f"perturbed, {leaf} as {float(leaf)}", float(leaf)
        if leaf in (0, 1):  # a key of a cache that is equal to both
            yield f"perturbed, {leaf} as {bool(leaf)}", bool(leaf)
        if not hazardous:
            yield f"perturbed, {leaf} as {leaf + 1}", leaf + 1
    elif isinstance(leaf, FunctionType):
        yield f"perturbed, `{leaf.__name__}` doubled", _doubled(leaf)
        other = clone(leaf)
        if other is not None:
            yield f"perturbed, `{leaf.__name__}` with other values captured", other


def clone(function: FunctionType) -> FunctionType | None:
    """A function of the same code over other captured numbers and defaults; None if it has neither."""
    cells = []
    for cell in function.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:
            return None
        cells.append(CellType(changed(value) if is_plain(value) else value))
    defaults = tuple(changed(value) if is_plain(value) else value for value in function.__defaults__ or ())
    same = all(new is old for new, old in zip(defaults, function.__defaults__ or (), strict=True))
    if same and not any(is_plain(cell.cell_contents) for cell in cells):
        return None
    made = FunctionType(function.__code__, function.__globals__, function.__name__, defaults or None, tuple(cells))
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    def doubled(*args: Any, **keywords: Any) -> Any:
        tree = importlib.import_module("jax").tree_util
        return tree.tree_map(lambda leaf: 2 * leaf if _is_number(leaf) else leaf, function(*args, **keywords))

    return doubled


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, float) or (hasattr(leaf, "dtype") and hasattr(leaf, "shape") and not _is_bool(leaf))


def _is_bool(leaf: Any) -> bool:
    return str(leaf.dtype) == "bool" or str(leaf.dtype).startswith("key<")


def _if_new(how: str, old: Leaves, new: Leaves) -> Iterator[tuple[str, Leaves]]:
    if any(a is not b for a, b in zip(old, new, strict=True)):
        yield how, new


def is_float(leaf: Any) -> bool:
    """Whether the leaf is an array or number that can be differentiated."""
    if isinstance(leaf, float):
        return True
    return is_plain(leaf) and hasattr(leaf, "dtype") and _kind(leaf) == "f"


def _inexact(leaf: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(leaf, float | complex):
        np = importlib.import_module("numpy")
        made = change(np.asarray(leaf))
        return complex(made) if isinstance(leaf, complex) else float(made)
    if not is_plain(leaf) or not hasattr(leaf, "dtype") or _kind(leaf) not in "fc":
        return leaf
    return _mapped(leaf, lambda host, _: change(host))


def _is_long(leaf: Any) -> bool:
    return is_plain(leaf) and bool(getattr(leaf, "ndim", 0)) and leaf.shape[0] > 1 and leaf.size > 0


def _is_count(leaf: Any) -> bool:
    return is_plain(leaf) and hasattr(leaf, "dtype") and leaf.ndim == 0 and _kind(leaf) in "iu"


def _kind(leaf: Any) -> str:
    np = importlib.import_module("numpy")
    dtype = np.dtype(leaf.dtype)
    return "f" if dtype.kind == "V" and "float" in dtype.name else str(dtype.kind)


def _mapped(leaf: Any, change: Callable[[Any, bool], Any]) -> Any:
    """A leaf of the same kind with changed values."""
    np = importlib.import_module("numpy")
    host = np.asarray(leaf)
    kind = _kind(leaf)
    if kind == "b":
        new = np.roll(host, 1, axis=0) if host.ndim and host.shape[0] > 1 else ~host
    else:
        wide = host.astype(np.float64) if kind == "f" else host
        with np.errstate(all="ignore"):
            new = np.asarray(change(wide, kind in "iu")).astype(host.dtype)
    if is_array(leaf):
        return array(new, bool(getattr(leaf, "weak_type", False)), placed(leaf))
    return new if isinstance(leaf, np.ndarray) else new[()]
