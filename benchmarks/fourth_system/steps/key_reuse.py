"""Noise and a mask that are drawn from one key."""

import jax
import jax.numpy as jnp


@jax.jit
def step(key, x):
    noise = jax.random.normal(key, x.shape)
    mask = jax.random.uniform(key, x.shape)
    return jnp.mean(jnp.where(mask > 0.5, x + noise, x))


x = jnp.ones((256, 256))
for number in range(60):
    print(f"step {number}: {float(step(jax.random.key(number), x))}")
