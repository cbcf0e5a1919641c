"""`PositionalSharding` of devices: reshaped, transposed, replicated, bound to variables."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import PositionalSharding

sharding = PositionalSharding(mesh_utils.create_device_mesh((8,)))  # want: legacy-parallelism
grid = sharding.reshape((2, 4))

x = jax.device_put(jnp.arange(64.0).reshape(8, 8), sharding.reshape(4, 2))
columns = jax.device_put(x, sharding.reshape(4, 2).replicate(axis=0, keepdims=True))
turned = jax.device_put(x, grid.T)
rows = jax.device_put(x, device=grid.replicate(-1))
whole = sharding.replicate()
scale = jax.device_put(jnp.arange(8.0), whole)
zeros = jnp.zeros((8, 8), device=grid)
print(len(sharding.device_set))


@functools.partial(jax.jit, in_shardings=(grid, whole), out_shardings=grid)
def step(x, scale):
    return x * scale


def placed(tree, devices=jax.devices()):
    return jax.device_put(tree, PositionalSharding(devices).replicate())
