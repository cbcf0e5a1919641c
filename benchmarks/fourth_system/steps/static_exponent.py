"""An average whose correction compiles for each count."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Average(NamedTuple):
    count: jax.Array
    mean: jax.Array


def init(params):
    return Average(jnp.zeros([], jnp.int32), jnp.zeros_like(params))


def update(gradient, state, b1=0.9):
    count = state.count + 1
    mean = b1 * state.mean + (1 - b1) * gradient
    return mean / (1 - b1**count), Average(count, mean)


params = jnp.ones((512, 256))
state = init(params)
for number in range(60):
    update_, state = update(0.1 * params, state)
    params = params - update_
    print(f"step {number}: {float(params[0, 0])}")
