"""How long warm calls of an original and of its rewritten function take, side by side."""

import importlib
import time
from collections.abc import Callable
from typing import Any

_TIMES, _CALLS = 6, 5


def paced(
    before: Callable[..., Any], after: Callable[..., Any], arrays: list[Any], *, is_passing: bool = False
) -> list[tuple[float, float]]:
    """Seconds of the fastest of a few calls of both under `jit`, in turn, repeatedly; whatever they raise.

    It ends where the second one takes no longer: beside other work of the machine, any few calls may.

    Args:
      is_passing: whether the second one is given as arguments what it takes from around it.
    """
    jax = importlib.import_module("jax")
    sides = (jax.jit(before), arrays), _with_data(jax, after, arrays) if is_passing else (jax.jit(after), arrays)
    for side, given in sides:
        jax.block_until_ready(side(*given))
    found = list[tuple[float, float]]()
    while len(found) < _TIMES and all(new > old for old, new in found[-1:]):
        calls = [tuple(_seconds(jax, *side) for side in sides) for _ in range(_CALLS)]
        found.append((min(old for old, _ in calls), min(new for _, new in calls)))
    return found


def _with_data(jax: Any, function: Callable[..., Any], arrays: list[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """The program of a function, and what it takes: its data before its arguments."""
    closed = jax.make_jaxpr(function)(*arrays)
    run = importlib.import_module("jax._src.core").eval_jaxpr
    data = len(closed.consts)
    return jax.jit(lambda *given: run(closed.jaxpr, given[:data], *given[data:])), [*closed.consts, *arrays]


def _seconds(jax: Any, side: Callable[..., Any], arrays: list[Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(side(*arrays))
    return time.perf_counter() - start
