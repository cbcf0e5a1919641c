"""Other data of the same types."""

import importlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CellType, FunctionType
from typing import Any

from .samples import array, is_array, is_key, is_tracer, placed
from .values import is_function

Leaves = list[Any]
_SEED, _MOST_TEXTS, _LARGER = 20, 3, 64
# Data on which only the same operations in the same order agree.
SPECIAL, HALVED = "not finite", "in bfloat16"
SHORTER, RETYPED = "one row less", "of another type"


def is_of_other_type(how: str) -> bool:
    """Whether data of this kind are of types that the program does not use: an original need not take them."""
    return how.endswith((HALVED, SHORTER))


MIXED = ", signs mixed"
"""How labels of calls end whose floats are of both signs: one of two branches may treat them alike."""
WHOLE = ("the same bytes as integers", "integers as large as their type")
"""How labels of calls end whose floats are whole numbers."""


def is_foreign(how: str, leaves: Leaves) -> bool:
    """Whether data of this kind are of a dtype that the program does not pass; `leaves` are what it does pass."""
    passed = {str(leaf.dtype) for leaf in leaves if is_array(leaf)}
    if how.endswith(HALVED):
        return "bfloat16" not in passed
    return how.endswith(WHOLE) and not any(dtype.startswith(("int", "uint")) for dtype in passed)


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


def variations(leaves: Leaves, hazardous: bool, texts: Sequence[str] = ()) -> Iterator[tuple[str, Leaves]]:
    """Other leaves of the same types, and what is other about them, the likely ones first.

    Args:
      hazardous: whether signs and zeros may make a loop run for ever.
      texts: what an argument that is a text may be instead.
    """
    np = importlib.import_module("numpy")
    random = np.random.default_rng(_SEED)

    def jittered(host: Any) -> Any:
        return host * (1 + 0.1 * random.standard_normal(host.shape)) + 0.01 * random.standard_normal(host.shape)

    modes: list[tuple[str, Callable[[Any], Any]]] = [("perturbed", jittered)]
    if not hazardous:
        modes += [("perturbed, signs turned", lambda host: -host), ("perturbed, all zero", lambda host: host * 0)]
        modes += [(f"perturbed, {SPECIAL}", _specials), (f"perturbed{MIXED}", alternating)]
        modes += [(f"perturbed, {_LARGER} times as large", lambda host: host * _LARGER)]
    for how, change in modes:
        yield from _if_new(how, leaves, [_inexact(leaf, change) for leaf in leaves])
    likely, others = lengths(leaves)
    rolled = [_mapped(leaf, lambda host, _: np.roll(host, 1, axis=0)) if _is_long(leaf) else leaf for leaf in leaves]
    yield from _if_new("perturbed, in another order", leaves, rolled)
    counted = [_mapped(leaf, lambda host, _: host + 1) if _is_integer(leaf) else leaf for leaf in leaves]
    yield from _if_new("perturbed, integers advanced", leaves, counted)
    yield from _if_new("perturbed, other keys", leaves, [_other_key(leaf) for leaf in leaves])
    yield from _by_a_row(leaves, likely)
    if not hazardous:  # what is to converge may not, with fewer digits
        yield from _if_new(f"perturbed, {HALVED}", leaves, [halved(leaf) for leaf in leaves])
    turned = leaves if hazardous else mixed(leaves)
    for place, leaf in enumerate(leaves):
        for how, other in _alternatives(leaf, hazardous, texts):
            yield how, [*leaves[:place], other, *leaves[place + 1 :]]
            if turned is not leaves and isinstance(leaf, bool | int | str) and type(other) is type(leaf):
                yield f"{how}{MIXED}", [*turned[:place], other, *turned[place + 1 :]]
    yield from _by_a_row(leaves, others)


def mixed(leaves: Leaves) -> Leaves:
    """The leaves with arrays of floats of both signs; the same list where there are none."""
    made = [_inexact(leaf, alternating) if getattr(leaf, "ndim", 0) else leaf for leaf in leaves]
    return made if any(one is not other for one, other in zip(made, leaves, strict=True)) else leaves


def alternating(host: Any) -> Any:
    """Every second value with another sign, and all of them a little moved."""
    np = importlib.import_module("numpy")
    drawn = np.random.default_rng(_SEED).uniform(size=host.shape)
    moved = host * (1 + 0.25 * drawn) + 0.01 * (1 + drawn)  # no number stays zero
    return moved * np.where(np.arange(host.size).reshape(host.shape) % 2, -1, 1)


def _alternatives(leaf: Any, hazardous: bool, texts: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """What a single Python value may be instead."""
    if isinstance(leaf, str):
        for text in [text for text in texts if text != leaf][:_MOST_TEXTS]:
            yield f"perturbed, {leaf!r} as {text!r}", text
        if leaf.swapcase() != leaf:
            yield f"perturbed, {leaf!r} as {leaf.swapcase()!r}", leaf.swapcase()
        if len(leaf) > 1:  # as it is where it was read from a file, or put together
            yield f"perturbed, {leaf!r} as another object", leaf[:1] + leaf[1:]
    elif isinstance(leaf, bool):
        yield f"perturbed, {leaf} as {not leaf}", not leaf
    elif isinstance(leaf, int):
        yield f"perturbed, {leaf} as {float(leaf)}, {RETYPED}", float(leaf)
        if leaf in (0, 1):  # a key of a cache that is equal to both, and a sum of two that is not
            yield from ((f"perturbed, {leaf} as {flag}", flag) for flag in (bool(leaf), not leaf))
        if not hazardous:
            yield f"perturbed, {leaf} as {leaf + 0.5}, {RETYPED}", leaf + 0.5
        if not hazardous:
            yield f"perturbed, {leaf} as {leaf + 1}", leaf + 1
    elif isinstance(leaf, float):
        if leaf.is_integer() and abs(leaf) < 2**31:
            yield f"perturbed, {leaf} as {int(leaf)}, {RETYPED}", int(leaf)
        for special in () if hazardous else (math.inf, -0.0):
            yield f"perturbed, {leaf} as {special}, {SPECIAL}", special
    elif isinstance(leaf, FunctionType):
        yield f"perturbed, `{leaf.__name__}` doubled", doubled(leaf)
        other = clone(leaf)
        if other is not None:
            yield f"perturbed, `{leaf.__name__}` with other values captured", other
    elif callable(leaf) and is_function(leaf):
        yield f"perturbed, `{getattr(leaf, '__name__', type(leaf).__name__)}` doubled", doubled(leaf)


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


def doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the same name that returns twice what this one returns."""

    def twice(*args: Any, **keywords: Any) -> Any:
        tree = importlib.import_module("jax").tree_util
        return tree.tree_map(lambda leaf: 2 * leaf if _is_number(leaf) else leaf, function(*args, **keywords))

    for name in ("__module__", "__name__", "__qualname__"):
        setattr(twice, name, getattr(function, name, getattr(twice, name)))
    return twice


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


def _is_integer(leaf: Any) -> bool:
    return is_plain(leaf) and hasattr(leaf, "dtype") and _kind(leaf) in "iu"


def _specials(host: Any) -> Any:
    """Values that are not finite or too small, and a negative zero, in the first places."""
    np = importlib.import_module("numpy")
    flat = np.array(host).reshape(-1)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-42])[: flat.size]
    flat[: special.size] = special
    return flat.reshape(host.shape)


def _other_key(leaf: Any) -> Any:
    return sys.modules["jax"].random.fold_in(leaf, 1) if is_array(leaf) and is_key(leaf) and not leaf.ndim else leaf


def lengths(leaves: Leaves) -> tuple[list[int], list[int]]:
    """How long the arrays are along their first axis: what may be the length of a batch, and what is another axis too.

    Parameters have most of their lengths in common with each other or with the data; where all have, all may be those
    of a batch.
    """
    shapes = [leaf.shape for leaf in leaves if has_rows(leaf)]
    shared = {size for shape in shapes for size in shape[1:]}
    found = list(dict.fromkeys(shape[0] for shape in shapes))
    alone = [length for length in found if length not in shared]
    return (alone, [length for length in found if length in shared]) if alone else (found, [])


def has_rows(leaf: Any) -> bool:
    """Whether it is an array of data on one device; an untyped key is none, whose length is that of its kind."""
    if not is_plain(leaf) or not getattr(leaf, "ndim", 0) or not leaf.size:
        return False
    return not _is_apart(leaf) and not (str(leaf.dtype) == "uint32" and leaf.shape == (2,))


def in_arrays(length: int, leaves: Leaves) -> str:
    """Which arrays get other rows, in words; nothing where all are of one length."""
    return f"in arrays of length {length}" if sum(map(len, lengths(leaves))) > 1 else ""


def other_length(length: int) -> str:
    """What is not tried where no call with other rows in the arrays of that length has returned."""
    return f"arrays of another length than {length}"


def changed_length(leaves: Leaves, others: Leaves) -> int | None:
    """The length of the arrays that have other rows, and as many axes, in the other leaves; None if there are none."""
    for leaf, other in zip(leaves, others, strict=True):
        shape = getattr(other, "shape", ())
        if has_rows(leaf) and shape and shape[1:] == leaf.shape[1:] and shape[0] != leaf.shape[0]:
            return int(leaf.shape[0])
    return None


def _by_a_row(leaves: Leaves, known: Sequence[int]) -> Iterator[tuple[str, Leaves]]:
    """All arrays that have one of these lengths, by a row shorter: the last batch of an epoch."""
    for length in known:
        shorter = [_mapped(leaf, lambda host, _: host[:-1]) if _is_so_long(leaf, length) else leaf for leaf in leaves]
        words = filter(None, ("perturbed", in_arrays(length, leaves), SHORTER))
        yield from _if_new(", ".join(words), leaves, shorter)


def _is_so_long(leaf: Any, length: int) -> bool:
    return has_rows(leaf) and bool(leaf.shape[0] == length > 1)


def _is_apart(leaf: Any) -> bool:
    """Whether the array lies on several devices."""
    return is_array(leaf) and len(leaf.sharding.device_set) > 1


def halved(leaf: Any) -> Any:
    """The values of a float32 array in bfloat16."""
    if not is_array(leaf) or is_key(leaf) or is_tracer(leaf) or str(leaf.dtype) != "float32":
        return leaf
    host = importlib.import_module("numpy").asarray(leaf).astype(sys.modules["jax"].numpy.bfloat16)
    return array(host, bool(getattr(leaf, "weak_type", False)), placed(leaf))


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
