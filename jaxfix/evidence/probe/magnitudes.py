"""Halves where something is rounded, and values whose squares overflow or vanish."""

import importlib
import math
from collections.abc import Callable, Collection, Iterator
from itertools import cycle, islice
from typing import Any

from .kinds import GIVEN
from .pairing import Leaves
from .perturb import is_plain
from .samples import Sample, array, is_array, is_key, is_tracer, placed

_ROUNDING = {"round", "rint", "floor", "ceil", "trunc", "around", "fix", "int", "astype", "int32", "int64", "divmod"}
_HALVES = (0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.5)
_MOST, _FEW = 3, 4
LARGE, SMALL = "too large to square", "too small to square"
"""How labels of calls end on whose data only the same operations in the same order agree."""
_POWER = 0.6


def halves(sample: Sample, leaves: Leaves, names: Collection[str]) -> Iterator[tuple[str, Leaves]]:
    """Numbers in the middle between whole ones, and between multiples of a single number, where something is rounded.

    Args:
      names: those that the sources mention.
    """
    if not _ROUNDING.intersection(names):
        return
    owners = sample.names()
    single = [at for at, leaf in enumerate(leaves) if isinstance(leaf, float) and owners.count(owners[at]) == 1]
    units = dict.fromkeys((1.0, *(abs(leaves[at]) for at in single)))
    for unit in [unit for unit in units if unit][:_MOST]:
        drawn = cycle(unit * half for half in _HALVES)
        made = [leaf if at in single else _filled(leaf, drawn, unit == 1.0) for at, leaf in enumerate(leaves)]
        if any(one is not other for one, other in zip(made, leaves, strict=True)):
            yield f"{GIVEN}halves{'' if unit == 1.0 else f' of {unit}'}", made
    for at in single[:_MOST]:
        for half in _HALVES[:_FEW]:
            yield f"{GIVEN}`{owners[at]}` as {half}", [*leaves[:at], half, *leaves[at + 1 :]]


def extremes(leaves: Leaves) -> Iterator[tuple[str, Leaves]]:
    """Arrays of floats whose squares overflow, or vanish; of floats of Python where no array is."""
    np = importlib.import_module("numpy")
    are_arrays = any(_dtype(leaf) is not None and not isinstance(leaf, float) for leaf in leaves)

    def scaled(leaf: Any, factor: Callable[[Any], float]) -> Any:
        dtype = _dtype(leaf)
        if dtype is None or (are_arrays and isinstance(leaf, float)):
            return leaf
        return _mapped(leaf, lambda host: host * factor(np.finfo(dtype)))

    for how, factor in ((LARGE, _large), (SMALL, _small)):
        made = [scaled(leaf, factor) for leaf in leaves]
        if any(one is not other for one, other in zip(made, leaves, strict=True)):
            yield f"{GIVEN}numbers, {how}", made


def _large(info: Any) -> float:
    return math.pow(info.max, _POWER)


def _small(info: Any) -> float:
    return math.pow(info.tiny, _POWER)


def _filled(leaf: Any, drawn: Iterator[float], is_exact: bool) -> Any:
    """The numbers that were drawn in the place of those of a leaf; of arrays only if they are exact."""
    np = importlib.import_module("numpy")
    if _dtype(leaf) is None or (not is_exact and not isinstance(leaf, float)):
        return leaf
    return _mapped(leaf, lambda host: np.array([*islice(drawn, host.size)]).reshape(host.shape))


def _dtype(leaf: Any) -> Any:
    """The dtype of Python floats, and of arrays of floats in single or double precision; None of anything else."""
    np = importlib.import_module("numpy")
    if isinstance(leaf, float):
        return np.dtype(np.float64)
    is_data = is_plain(leaf) and hasattr(leaf, "dtype") and not is_tracer(leaf) and leaf.size
    if not is_data or (is_array(leaf) and (is_key(leaf) or len(leaf.sharding.device_set) > 1)):
        return None
    return np.dtype(leaf.dtype) if str(leaf.dtype) in ("float32", "float64") else None


def _mapped(leaf: Any, change: Callable[[Any], Any]) -> Any:
    np = importlib.import_module("numpy")
    host = np.asarray(leaf)
    with np.errstate(all="ignore"):
        made = np.asarray(change(host.astype(np.float64))).astype(host.dtype)
    if isinstance(leaf, float):
        return float(made)
    if is_array(leaf):
        return array(made, bool(getattr(leaf, "weak_type", False)), placed(leaf))
    return made if isinstance(leaf, np.ndarray) else made[()]
