"""A constraint to a mesh of another shape than that of the arguments: jax 0.10 loses it, or raises."""

import jax
import jax.numpy as jnp
from jax.sharding import PositionalSharding

sharding = PositionalSharding(jax.devices())  # want: legacy-parallelism (no fix): between meshes of several shapes


@jax.jit
def step(x):
    return jax.lax.with_sharding_constraint(2 * x, sharding.reshape(2, 4))


print(step(jax.device_put(jnp.arange(64.0).reshape(8, 8), sharding.reshape(4, 2))))
