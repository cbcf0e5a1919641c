"""The mean of the losses over a threshold, of which there is another number in each step."""

import jax
import jax.numpy as jnp


def step(losses, limit):
    return jnp.mean(losses[losses > limit])


losses = jax.random.normal(jax.random.key(0), (4096,))
for number in range(60):
    print(f"step {number}: {float(step(losses, 0.01 * number))}")
