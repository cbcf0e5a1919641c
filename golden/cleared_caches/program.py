"""A fit that clears the caches of jax after each step."""

import jax
import jax.numpy as jnp


@jax.jit
def update(params, x):
    return params - 0.1 * jnp.tanh(params - x)


def main():
    params = jnp.zeros(3)
    for x in jnp.linspace(0.0, 1.0, 10):
        params = update(params, x)
        jax.clear_caches()  # want: cleared-caches (no fix): remove the call
    print(params)


main()
