"""The leaves of a call in double precision, or moved a little in their own."""

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from .samples import array, fresh, is_array, is_key, is_tracer, placed
from .values import host_of

IN_SINGLE = "of the largest value apart in the precision of the program, though not in double precision"


@contextlib.contextmanager
def double_precision() -> Iterator[None]:
    """Enables double precision in the block."""
    jax = importlib.import_module("jax")
    is_public = callable(getattr(jax, "enable_x64", None))
    home = jax if is_public else importlib.import_module("jax.experimental")
    with home.enable_x64(True):
        yield


def to_double(leaf: Any) -> Any:
    """The leaf in double precision, if it is an array of floats."""
    return _as_double(leaf, lambda host: host)


def moved_in_double(seed: int, size: float, leaf: Any) -> Any:
    """The leaf in double precision, each value that part of itself more or less."""
    return _as_double(leaf, lambda host: _moved(host, seed, size))


def moved_by_an_ulp(leaf: Any) -> Any:
    """The leaf in its own dtype, each value of an array one unit in the last place of it away."""
    if type(leaf) in (float, complex) or not is_inexact(leaf) or is_tracer(leaf):
        return fresh(leaf)
    host = importlib.import_module("numpy").asarray(host_of(leaf) if is_array(leaf) else leaf)
    same = _moved(wide(host), 0, epsilon(leaf)).astype(host.dtype)
    return array(same, bool(getattr(leaf, "weak_type", False)), placed(leaf)) if is_array(leaf) else same


def is_inexact(leaf: Any) -> bool:
    """Whether it is a Python float or complex number, or an array or a NumPy number of such."""
    jax, np = importlib.import_module("jax"), importlib.import_module("numpy")
    if type(leaf) in (float, complex):
        return True
    if not isinstance(leaf, np.ndarray | np.generic) and (not is_array(leaf) or is_key(leaf)):
        return False
    return bool(jax.dtypes.issubdtype(leaf.dtype, np.inexact))


def farthest(one: Any, two: Any) -> tuple[float, float]:
    """How far two arrays of the host are apart at most, and the largest value of the first, of what is finite."""
    np = importlib.import_module("numpy")
    a, b = wide(one), wide(two)
    both = np.isfinite(a) & np.isfinite(b)
    return float(np.max(np.abs(a[both] - b[both]), initial=0.0)), float(np.max(np.abs(a[both]), initial=0.0))


def epsilon(leaf: Any) -> float:
    """The unit in the last place of 1 in the dtype of the leaf; 0.0 of Python numbers, and of what holds no floats."""
    if not is_inexact(leaf) or type(leaf) in (float, complex):
        return 0.0
    return float(importlib.import_module("jax.numpy").finfo(leaf.dtype).eps)


def _as_double(leaf: Any, change: Callable[[Any], Any]) -> Any:
    np = importlib.import_module("numpy")
    if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind in "fc":
        return np.asarray(change(wide(np.asarray(leaf))))
    if not is_array(leaf) or is_tracer(leaf) or not is_inexact(leaf):
        return fresh(leaf)
    made = np.asarray(change(wide(host_of(leaf))))
    return array(made, bool(getattr(leaf, "weak_type", False)), placed(leaf))


def _moved(host: Any, seed: int, size: float) -> Any:
    return host * (1 + size * importlib.import_module("numpy").random.default_rng(seed).choice([-1.0, 1.0], host.shape))


def wide(host: Any) -> Any:
    """An array of the host in double precision."""
    np = importlib.import_module("numpy")
    return host.astype(np.complex128 if host.dtype.kind == "c" else np.float64)
