"""A rate that is a static argument, and another one in each step."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("rate",))
def update(params, x, rate):
    value, gradient = jax.value_and_grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    return value, params - rate * gradient


def main():
    params = jnp.ones((512, 256))
    x = jax.random.normal(jax.random.key(0), (64, 512))
    rate = 0.25
    for number in range(60):
        value, params = update(params, x, rate)
        rate *= 0.99
        print(f"step {number}: {float(value)}")


main()
