"""A step that keeps its old state beside the new one."""

import jax
import jax.numpy as jnp


@jax.jit
def step(weights, x):
    return weights - 0.1 * jax.grad(lambda w: jnp.mean((x @ w) ** 2))(weights)


weights = jnp.ones((1024, 512)) + 0.0
x = jax.random.normal(jax.random.key(0), (64, 1024))
for number in range(60):
    weights = step(weights, x)
    print(f"step {number}: {float(weights[0, 0])}")
