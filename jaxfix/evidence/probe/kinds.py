"""Arguments of other kinds: another rank or length, NumPy in place of jax, complex numbers, what is left to a default.

Which of them a function is given is read in its source and in that of its original (`hints`).
"""

import functools
import importlib
import itertools
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

from .hints import Hints
from .limits import EXACT, Limits
from .near import smaller
from .perturb import has_rows, in_arrays, is_plain, lengths
from .samples import Sample, array, is_array, is_key, is_tracer, placed

Leaves = list[Any]
GIVEN = "given "
"""How the labels of calls begin whose arguments are of kinds that the program does not pass."""
NO_ROWS = "no rows"
BEYOND = "an integer beyond single precision"
_MOST_ALONE, _MOST_ROWS, _MOST_THRESHOLDS = 4, 2048, 3
_MOST_NEAR, _MOST_SIZE, _MOST_WIDTHS = 12, 1 << 22, 4
SMALL = 64


def shaped(leaves: Leaves, limits: Limits) -> Iterator[tuple[str, Leaves]]:
    """Arrays of other dtypes and shapes, for which tracing can show whether two functions differ."""
    yield from _if_new(f"{GIVEN}complex numbers", leaves, [_complex(leaf) for leaf in leaves])
    yield from _if_new(f"{GIVEN}keys of the other kind", leaves, [_other_kind_of_key(leaf) for leaf in leaves])
    changes: list[tuple[str, Callable[[Any], Any]]] = [
        ("one axis less", lambda host: host[0] if host.ndim and host.size else host),
        ("one axis more", _stacked),
    ]
    places = [place for place, leaf in enumerate(leaves) if _is_data(leaf)]
    for how, change in changes:
        changed = [_mapped(leaf, change) for leaf in leaves]
        yield from _if_new(f"{GIVEN}{how}", leaves, changed)
        for place in places if 1 < len(places) <= _MOST_ALONE else ():
            alone = [changed[at] if at == place else leaf for at, leaf in enumerate(leaves)]
            yield from _if_new(f"{GIVEN}{how} in array {places.index(place) + 1}", leaves, alone)
    for how, other in _same_bytes(leaves):
        yield from _if_new(f"{GIVEN}the same bytes {how}", leaves, other)
    for size in _widths(leaves):
        yield from _if_new(f"{GIVEN}axes of {size} as {size + 1}", leaves, _widened(leaves, size))
    for length in itertools.chain(*lengths(leaves)):
        for rows in dict.fromkeys((0, 1, *_asked(leaves, length, limits))):
            words = {0: NO_ROWS, 1: "one row"}.get(rows, f"{rows} rows")
            how = f"{GIVEN}{words} {in_arrays(length, leaves)}".rstrip()
            yield from _if_new(how, leaves, _resized(leaves, length, rows))


def wider(leaves: Leaves) -> Iterator[tuple[str, Leaves]]:
    """Arrays of shapes that no other call has."""
    changed = [_mapped(leaf, lambda host: _stacked(_stacked(host))) for leaf in leaves]
    yield from _if_new(f"{GIVEN}two axes more", leaves, changed)


def _same_bytes(leaves: Leaves) -> Iterator[tuple[str, Leaves]]:
    """Arrays that are the same to what looks at their bytes alone."""
    np = importlib.import_module("numpy")

    def reshaped(host: Any) -> Any:
        if host.ndim > 1:
            return host.reshape(host.shape[::-1] if host.shape != host.shape[::-1] else -1)
        return host.reshape(-1, 2 if host.size % 2 == 0 else 1) if host.size > 1 else host

    def recast(host: Any) -> Any:
        return host.view(np.dtype(f"i{host.itemsize}")) if host.dtype.kind == "f" and host.itemsize == 4 else host

    yield "in another shape", [_mapped(leaf, reshaped) for leaf in leaves]
    yield "as integers", [_mapped(leaf, recast) for leaf in leaves]


def largest(leaves: Leaves) -> Iterator[tuple[str, Leaves]]:
    """Whole numbers as large as their type, of which a sum is none."""
    np = importlib.import_module("numpy")

    def at_the_end(host: Any) -> Any:
        if host.dtype.kind not in "iu" or not host.size:
            return host
        return (np.iinfo(host.dtype).max - np.arange(host.size) % 3).astype(host.dtype).reshape(host.shape)

    yield from _if_new(
        f"{GIVEN}integers as large as their type", leaves, [_mapped(leaf, at_the_end) for leaf in leaves]
    )


def typed(leaves: Leaves) -> Iterator[tuple[str, Leaves]]:
    """The same values as NumPy's arrays, as those of jax, as Python numbers."""
    np = importlib.import_module("numpy")

    def to_numpy(leaf: Any) -> Any:
        return np.asarray(leaf) if _is_data(leaf) and is_array(leaf) and leaf.is_fully_addressable else leaf

    def to_jax(leaf: Any) -> Any:
        return array(leaf, False) if isinstance(leaf, np.ndarray) and is_plain(leaf) else leaf

    def to_array(leaf: Any) -> Any:
        return array(np.asarray(leaf), False) if _fits(leaf) else leaf

    def to_masked(leaf: Any) -> Any:
        host = to_numpy(leaf)
        is_data = isinstance(host, np.ndarray) and is_plain(host) and host.size > 1
        return np.ma.masked_array(host.copy(), np.arange(host.size).reshape(host.shape) == 0) if is_data else leaf

    def to_scalar(leaf: Any) -> Any:
        if not _fits(leaf):
            return leaf
        return np.int64(leaf) if isinstance(leaf, int) else np.float64(_power_of_two(leaf))

    def to_number(leaf: Any) -> Any:
        return leaf.item() if _is_data(leaf) and not leaf.ndim else leaf

    changes = ("NumPy arrays", to_numpy), ("jax arrays", to_jax), ("arrays for numbers", to_array)
    others = ("numbers for arrays", to_number), ("NumPy numbers", to_scalar), ("masked arrays", to_masked)
    for how, change in (*changes, *others):
        yield from _if_new(f"{GIVEN}{how}", leaves, [change(leaf) for leaf in leaves])


def sooner(sample: Sample, leaves: Leaves, hints: Hints) -> Iterator[tuple[str, Leaves]]:
    """Smaller numbers of iterations, with which a loop ends before it has converged."""
    for place, (name, leaf) in enumerate(zip(sample.names(), leaves, strict=True)):
        if name in hints.ending and isinstance(leaf, int) and not isinstance(leaf, bool):
            for value in [value for value in (2, 1) if value < leaf]:
                yield f"perturbed, `{name}` as {value}", _with(leaves, place, value)


def numbered(leaves: Leaves) -> Iterator[tuple[str, Leaves]]:
    """A Python number in the place of each array."""
    places = [place for place, leaf in enumerate(leaves) if _is_data(leaf) and leaf.ndim and _is_float(leaf)]
    for number, place in enumerate(places[:_MOST_ALONE], 1):
        yield f"{GIVEN}a number for array {number}", _with(leaves, place, 0.5)


def zeros(leaves: Leaves) -> Iterator[tuple[str, Leaves]]:
    """Nothing in the place of each Python number, one after the other: what is false may be taken for not given."""
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, int | float) and not isinstance(leaf, bool) and leaf:
            zero = type(leaf)(0)
            yield f"{GIVEN}{zero} for {leaf}", _with(leaves, place, zero)


def _power_of_two(number: float) -> float:
    """The next one towards zero: in double precision it is what it is in single precision, and its products too."""
    return math.copysign(2.0 ** math.floor(math.log2(abs(number))), number) if number else number


def _fits(leaf: Any) -> bool:
    """Whether it is a Python number that jax can hold."""
    return isinstance(leaf, int | float) and not isinstance(leaf, bool) and abs(leaf) < 2**31


def thresholds(leaves: Leaves, limits: Limits) -> Iterator[tuple[str, Leaves]]:
    """Values at and around the requested numbers; for a single number, one after the other."""
    numbers = (*limits.bounds, *limits.periods)
    if not numbers:
        return
    near = [
        _mapped(leaf, lambda host: _near(host, numbers)) if _is_data(leaf) and leaf.ndim else leaf for leaf in leaves
    ]
    yield from _if_new("perturbed, near what it is compared with", leaves, near)
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, float) or (_is_data(leaf) and not leaf.ndim and _is_float(leaf)):
            for number in limits.bounds[:_MOST_THRESHOLDS]:
                for value in (number, math.nextafter(number, -math.inf), math.nextafter(number, math.inf)):
                    other = value if isinstance(leaf, float) else _mapped(leaf, functools.partial(_filled, value))
                    yield f"perturbed, {number} or near it", _with(leaves, place, other)


def below(leaves: Leaves, limits: Limits) -> Iterator[Leaves]:
    """Single numbers a little below each of the requested ones."""
    for number in limits.bounds[:_MOST_THRESHOLDS]:
        less = math.nextafter(number, -math.inf)
        made = [less if isinstance(leaf, float) else leaf for leaf in leaves]
        if any(one is not two for one, two in zip(leaves, made, strict=True)):
            yield made


def counts(
    sample: Sample, leaves: Leaves, hints: Hints, limits: Limits, most: Callable[[int], int]
) -> Iterator[tuple[str, Leaves]]:
    """Whole numbers at and around those that the program asks for, and some that single precision does not hold.

    Args:
      most: how large the number in a place may become, where that has nothing to do with its name.
    """
    for place, (name, leaf) in enumerate(zip(sample.names(), leaves, strict=True)):
        limit = _limit(leaf)
        if not limit:
            continue
        limit = min(limit, SMALL if name in hints.counting else most(place))
        nothing = (0, 1) * (name in hints.counting)  # at all, and twice
        near = (*nothing, *smaller(int(leaf)), *limits.near())
        for value in [value for value in dict.fromkeys(near) if abs(value) <= limit and not _is_tried(leaf, value)][
            :_MOST_NEAR
        ]:
            how = "perturbed, " if abs(value) <= _MOST_ROWS else f"{GIVEN}{name}: "
            yield f"{how}{_told(leaf)} as {value}", _with(leaves, place, _as(leaf, value))
        for value in [value for value in limits.beyond() if value <= limit]:
            at = "" if value == EXACT + 1 else f" {value}:"
            yield f"perturbed, `{name}` as{at} {BEYOND}", _with(leaves, place, _as(leaf, value))


def _limit(leaf: Any) -> int:
    """The largest integer that a leaf may be; 0 where it is not a single one."""
    if isinstance(leaf, int):
        return 0 if isinstance(leaf, bool) else 2**31 - 1
    is_single = _is_data(leaf) and not leaf.ndim and leaf.dtype.kind in "iu"
    return int(importlib.import_module("numpy").iinfo(leaf.dtype).max) if is_single else 0


def _is_tried(leaf: Any, value: int) -> bool:
    """Whether a number is that of the call, or the next one, which `perturb` has."""
    return value in (int(leaf), int(leaf) + 1)


def _told(leaf: Any) -> str:
    return str(leaf) if isinstance(leaf, int) else f"{leaf.dtype} {int(leaf)}"


def _as(leaf: Any, value: int) -> Any:
    return value if isinstance(leaf, int) else _mapped(leaf, functools.partial(_filled, value))


def _filled(value: float, host: Any) -> Any:
    return host.dtype.type(value) + host * 0


def defaulted(sample: Sample, leaves: Leaves, hints: Hints) -> Iterator[tuple[str, Sample]]:
    """The call with something in the place of a None, and None in the place of something."""
    arguments = sample.arguments(leaves)
    for name, value in arguments.items():
        if value is None:
            for how, other in _instead(name, leaves, hints):
                yield f"{GIVEN}`{name}` as {how}", sample.replaced(name, other)
        elif name in hints.optional and not hasattr(value, "__dict__"):
            yield f"{GIVEN}`{name}` as None", sample.replaced(name, None)
        if isinstance(value, str):
            for text in [text for text in hints.texts if text != value]:
                yield f"perturbed, `{name}` as {text!r}", sample.replaced(name, text)


def _instead(name: str, leaves: Leaves, hints: Hints) -> Iterator[tuple[str, Any]]:
    """What may be meant where nothing is given, the likely ones first."""
    jax = sys.modules["jax"]
    if name in hints.called:
        yield "a function", jax.numpy.tanh
        return
    if "key" in name or "rng" in name:
        yield "a key", jax.random.key(0)
    data = next((leaf for leaf in leaves if _is_data(leaf)), None)
    if data is not None:
        yield "an array", _mapped(data, _signed)
    yield "a number", 0.5
    yield "zero", 0
    yield "True", True
    yield from ((repr(text), text) for text in hints.texts[:_MOST_THRESHOLDS])
    yield "a function", jax.numpy.tanh


def _with(leaves: Leaves, place: int, value: Any) -> Leaves:
    return [*leaves[:place], value, *leaves[place + 1 :]]


def _asked(leaves: Leaves, length: int, limits: Limits) -> Iterator[int]:
    """Rows with which an array of that length is as large as the sizes that are asked for, or a little larger."""
    first = next(leaf for leaf in leaves if has_rows(leaf) and leaf.shape[0] == length)
    for number in limits.sizes[:_MOST_THRESHOLDS]:
        for unit in (1, first.size // first.shape[0], first.nbytes // first.shape[0]):
            yield from (number // unit + 1, *((number,) if unit == 1 else ()))


def _if_new(how: str, old: Leaves, new: Leaves) -> Iterator[tuple[str, Leaves]]:
    if any(a is not b for a, b in zip(old, new, strict=True)):
        yield how, new


def _is_data(leaf: Any) -> bool:
    """Whether it is an array of numbers on one device."""
    if not is_plain(leaf) or not hasattr(leaf, "shape"):
        return False
    return not is_array(leaf) or (not is_key(leaf) and len(leaf.sharding.device_set) == 1)


def _is_float(host: Any) -> bool:
    return host.dtype.kind == "f" or (host.dtype.kind == "V" and "float" in host.dtype.name)


def _complex(leaf: Any) -> Any:
    np = importlib.import_module("numpy")
    if not _is_data(leaf) or str(leaf.dtype) not in ("float32", "float64"):
        return leaf
    host = np.asarray(leaf)
    wide = np.complex128 if host.dtype == np.float64 else np.complex64
    made = host.astype(wide) * wide(1 + 0.5j)
    return array(made, bool(getattr(leaf, "weak_type", False)), placed(leaf)) if is_array(leaf) else made


def _other_kind_of_key(leaf: Any) -> Any:
    """A key with a type for what may be one of plain numbers, and the other way round."""
    if not is_array(leaf) or is_tracer(leaf):
        return leaf
    random = sys.modules["jax"].random
    if is_key(leaf):
        return random.key_data(leaf)
    may_be_key = str(leaf.dtype) == "uint32" and leaf.shape[-1:] == random.key_data(random.key(0)).shape
    return random.wrap_key_data(leaf) if may_be_key else leaf


def _stacked(host: Any) -> Any:
    np = importlib.import_module("numpy")
    return np.stack([host, host[::-1] if host.ndim and host.shape[0] > 1 else host])


def _signed(host: Any) -> Any:
    """The values with zeros and other signs among them."""
    np = importlib.import_module("numpy")
    factors = np.resize(np.array([1, 0, -1] if host.dtype.kind in "iufV" else [1, 0]), host.shape)
    return (host * factors.astype(host.dtype)).astype(host.dtype)


def _resized(leaves: Leaves, length: int, rows: int) -> Leaves:
    """The arrays of that length with so many rows."""
    np = importlib.import_module("numpy")

    def resized(host: Any) -> Any:
        if host.shape[0] != length or rows == length or host.size // length * rows > _MOST_SIZE:
            return host
        return np.resize(host, (rows, *host.shape[1:]))

    return [_mapped(leaf, resized) if has_rows(leaf) else leaf for leaf in leaves]


def _widths(leaves: Leaves) -> list[int]:
    """The sizes of axes behind the first, as far as there is room."""
    shapes = [leaf.shape for leaf in leaves if has_rows(leaf)]
    found = dict.fromkeys(size for shape in shapes for size in shape[1:] if size > 1)
    return list(found)[:_MOST_WIDTHS]


def _widened(leaves: Leaves, size: int) -> Leaves:
    """The arrays with one more along all axes of that size, whose first values are repeated."""
    np = importlib.import_module("numpy")

    def widened(host: Any) -> Any:
        for axis in [axis for axis, length in enumerate(host.shape) if length == size]:
            host = np.concatenate([host, host.take([0], axis)], axis)
        return host

    return [_mapped(leaf, widened) if has_rows(leaf) else leaf for leaf in leaves]


def _near(host: Any, numbers: tuple[float, ...]) -> Any:
    np = importlib.import_module("numpy")
    if host.dtype.kind not in "fiu" or not host.size:
        return host
    if host.dtype.kind == "f":
        around = [host.dtype.type(number) for number in numbers]
        values = [v for a in around for v in (a, np.nextafter(a, -np.inf), np.nextafter(a, np.inf))]
    else:
        limits = np.iinfo(host.dtype)
        whole = [int(number) for number in numbers if limits.min < number < limits.max]
        values = [value for number in whole for value in (number, number - 1, number + 1)]
    flat = host.reshape(-1).copy()
    flat[: len(values)] = np.asarray(values[: flat.size], host.dtype)
    return flat.reshape(host.shape)


def _mapped(leaf: Any, change: Callable[[Any], Any]) -> Any:
    """An array with other contents; the leaf itself where it is none, or nothing changes."""
    np = importlib.import_module("numpy")
    if not _is_data(leaf) or is_tracer(leaf):
        return leaf
    host = np.asarray(leaf)
    made = change(host)
    if made is host:
        return leaf
    if not is_array(leaf):
        return made
    return array(made, bool(getattr(leaf, "weak_type", False)), placed(leaf) if made.shape == host.shape else None)
