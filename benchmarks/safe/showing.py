"""What the generated programs print of a value: all that could differ, and nothing that may."""

import hashlib
import re
from collections.abc import Callable, Iterator

import jax
import numpy as np

_LEAVES = 8
"""Of a result that has more, the others are left out."""


def show(name: str, function: Callable[..., object], *arguments: object) -> None:
    """Prints what a call returns, or raises."""
    try:
        found = function(*arguments)
        lines = [line for item in found for line in _lines(item)] if _is_generator(found) else list(_lines(found))
    except Exception as error:
        lines = [f"{type(error).__name__}: {error}"]
    print(name, *lines, sep="\n  ")


def _is_generator(found: object) -> bool:
    return isinstance(found, Iterator)


def _lines(value: object) -> Iterator[str]:
    leaves, treedef = jax.tree_util.tree_flatten(value)
    yield re.sub(r"0x[0-9a-f]+", "0x", str(treedef))
    yield from map(_leaf, leaves[:_LEAVES])


def _leaf(leaf: object) -> str:
    if isinstance(leaf, jax.Array):
        if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return f"key {leaf.dtype} {_bits(np.asarray(jax.random.key_data(leaf)))}"
        return f"jax {leaf.dtype} weak={leaf.weak_type} {_bits(np.asarray(leaf))}"
    if isinstance(leaf, np.ndarray | np.generic):
        return f"numpy {leaf.dtype} {_bits(np.asarray(leaf))}"
    return f"{type(leaf).__name__} {leaf!r}" if isinstance(leaf, int | float | complex | str) else type(leaf).__name__


def _bits(array: np.ndarray) -> str:
    digest = hashlib.sha256(array.tobytes()).hexdigest()[:8]
    return f"{array.shape} {digest} {np.array2string(array.astype(array.dtype).ravel()[:3], separator=' ')}"
