"""How long warm calls of an original and of its rewritten function take, side by side."""

import importlib
import time
from collections.abc import Callable
from typing import Any

_TIMES, _CALLS = 3, 5


def paced(before: Callable[..., Any], after: Callable[..., Any], arrays: list[Any]) -> list[tuple[float, float]]:
    """Seconds of the fastest of a few calls of both under `jit`, in turn, again and again; whatever they raise."""
    jax = importlib.import_module("jax")
    sides = jax.jit(before), jax.jit(after)
    for side in sides:
        jax.block_until_ready(side(*arrays))
    return [(_fastest(jax, sides[0], arrays), _fastest(jax, sides[1], arrays)) for _ in range(_TIMES)]


def _fastest(jax: Any, side: Callable[..., Any], arrays: list[Any]) -> float:
    found = []
    for _ in range(_CALLS):
        start = time.perf_counter()
        jax.block_until_ready(side(*arrays))
        found.append(time.perf_counter() - start)
    return min(found)
