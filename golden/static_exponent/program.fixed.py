"""Fits a line with a moving average whose correction compiles again at every step."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Average(NamedTuple):
    count: jax.Array
    mean: jax.Array
    square: jax.Array


def init(params):
    return Average(jnp.zeros([], jnp.int32), jnp.zeros_like(params), jnp.zeros_like(params))


def update(gradient, state, b1=0.9, b2=0.99):
    count = state.count + 1
    mean = b1 * state.mean + (1 - b1) * gradient
    square = b2 * state.square + (1 - b2) * gradient**2
    mean_hat = mean / (1 - b1**(count * 1.0))
    square_hat = square / (1 - b2**(count * 1.0))
    return 0.1 * mean_hat / (jnp.sqrt(square_hat) + 1e-8), Average(count, mean, square)


@jax.jit
def gradient_of_loss(params, inputs):
    targets = 3.0 * inputs + 1.0
    return jax.grad(lambda p: jnp.mean((p[0] * inputs + p[1] - targets) ** 2))(params)


def train(steps):
    key = jax.random.PRNGKey(0)
    params = jnp.zeros(2)
    state = init(params)
    for _ in range(steps):
        key, subkey = jax.random.split(key)
        gradient = gradient_of_loss(params, jax.random.normal(subkey, (16,)))
        step, state = update(gradient, state)
        params = params - step
    return params


if __name__ == "__main__":
    print([f"{value:.3f}" for value in train(20).tolist()])
