"""Follows a moving target with a state of 128 megabytes, which every step holds twice."""

import functools

import jax
import jax.numpy as jnp

SIZE = 16_000_000


@functools.partial(jax.jit, donate_argnums=(0, 1))
def step(params, momentum, target):
    momentum = 0.9 * momentum + (params - target)
    return params - 0.1 * momentum, momentum


def main():
    params = jnp.zeros(SIZE)
    momentum = jnp.zeros(SIZE)
    for number in range(12):
        params, momentum = step(params, momentum, jnp.float32(number))
        params.block_until_ready()
    print([round(float(value), 4) for value in params[:3]])


if __name__ == "__main__":
    main()
