"""A step that `pmap` runs on each device."""

import jax
import jax.numpy as jnp


def update(weights, x):
    slope = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(weights)
    return weights - 0.1 * jax.lax.pmean(slope, "devices")


step = jax.pmap(update, axis_name="devices")
devices = jax.local_device_count()
weights = jnp.ones((devices, 256))
x = jax.random.normal(jax.random.key(0), (devices, 512, 256))
for number in range(60):
    weights = step(weights, x)
    print(f"step {number}: {float(weights[0, 0])}")
