"""A smoother whose loop over time is unrolled, and its gradient."""

import jax
import jax.numpy as jnp


def loss(weights, signal):
    level = jnp.zeros_like(signal[0])
    for t in range(64):
        level = jnp.tanh(level @ weights + signal[t])
    return jnp.mean(level**2)


@jax.jit
def step(weights, signal):
    return weights - 0.1 * jax.grad(loss)(weights, signal)


weights = 0.1 * jnp.eye(64)
signal = jax.random.normal(jax.random.key(0), (64, 32, 64))
for number in range(60):
    weights = step(weights, signal)
    print(f"step {number}: {float(weights[0, 0])}")
