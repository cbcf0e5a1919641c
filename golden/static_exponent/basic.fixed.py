"""Powers of a Python number by a counter that lives in an array."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from optax import GradientTransformation, safe_increment


class AverageState(NamedTuple):
    count: jax.Array
    mean: jax.Array


def scale_by_average(decay: float = 0.9):
    def init_fn(params):
        return AverageState(jnp.zeros([], jnp.int32), jnp.zeros_like(params))

    def update_fn(updates, state, params=None):
        del params
        count = safe_increment(state.count)
        mean = decay * state.mean + (1 - decay) * updates
        # A concrete integer exponent is compiled again for every value.
        exponent = count
        if not isinstance(exponent, jax.core.Tracer):
            exponent = exponent * 1.0
        # The mean starts at zero.
        return mean / (1 - decay**exponent), AverageState(count, mean)

    return GradientTransformation(init_fn, update_fn)


def scale_by_two(betas=(0.9, 0.999)):
    b1, b2 = betas

    def init_fn(params):
        return {"count": jnp.asarray(0), "params": params}

    def update_fn(updates, state):
        t = state["count"] + 1
        first = 1 - b1 ** (t * 1.0)
        second = (1 - b2 ** (t * 1.0)) ** 0.5  # cured with the one above
        third = jnp.power(b1, (t + 1) * 1.0) + pow(b2, (t // 2) * 1.0)
        correction = b1**(
            (t + 1) * 1.0  # one ahead
        )
        return updates * second / (first + third + correction), {"count": t, "params": state["params"]}

    return GradientTransformation(init_fn, update_fn)


@functools.lru_cache
def schedule(start: float):
    count = jnp.array(0, dtype="int32")
    rates = []
    for _ in range(3):
        count += 1
        # A concrete integer exponent is compiled again for every value.
        exponent = count
        if not isinstance(exponent, jax.core.Tracer):
            exponent = exponent * 1.0
        rates.append(start * 0.5**exponent)
    return rates


def warm(state: AverageState, rate=0.1):
    # A concrete integer exponent is compiled again for every value.
    exponent = -state.count
    if not isinstance(exponent, jax.core.Tracer):
        exponent = exponent * 1.0
    return rate ** exponent
