"""A test: its state is a few numbers, and it may look at the old ones."""

import jax
import jax.numpy as jnp


@jax.jit
def step(params):
    return params - 0.1 * params


def test_params_shrink():
    params = jnp.ones(3)
    for _ in range(5):
        params = step(params)
    assert params.sum() < 3.0
