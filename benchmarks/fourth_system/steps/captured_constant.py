"""A table of four megabytes that each program of the step holds."""

import jax
import jax.numpy as jnp

table = jnp.sin(jnp.arange(1000.0 * 1000.0)).reshape(1000, 1000)


@jax.jit
def step(x):
    return jnp.tanh(x + table)


x = jnp.zeros((1000, 1000))
for number in range(60):
    x = step(x)
    print(f"step {number}: {float(x[0, 0])}")
