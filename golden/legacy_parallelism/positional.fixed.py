"""`PositionalSharding` of devices: reshaped, transposed, replicated, bound to variables."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import mesh_utils

sharding = jax.sharding.NamedSharding(
    jax.sharding.Mesh(mesh_utils.create_device_mesh((8,)), ("x",)), jax.sharding.PartitionSpec("x")
)
grid = jax.sharding.NamedSharding(
    jax.sharding.Mesh(sharding.mesh.devices.reshape(2, 4), ("x", "y")),
    jax.sharding.PartitionSpec("x", "y"),
)

x = jax.device_put(
    jnp.arange(64.0).reshape(8, 8),
    jax.sharding.NamedSharding(jax.sharding.Mesh(sharding.mesh.devices.reshape(4, 2), ("x", "y")), jax.sharding.PartitionSpec("x", "y")),
)
columns = jax.device_put(
    x,
    jax.sharding.NamedSharding(jax.sharding.Mesh(sharding.mesh.devices.reshape(4, 2), ("x", "y")), jax.sharding.PartitionSpec(None, "y")),
)
turned = jax.device_put(
    x, jax.sharding.NamedSharding(grid.mesh, jax.sharding.PartitionSpec("y", "x"))
)
rows = jax.device_put(
    x, device=jax.sharding.NamedSharding(grid.mesh, jax.sharding.PartitionSpec("x", None))
)
whole = jax.sharding.NamedSharding(sharding.mesh, jax.sharding.PartitionSpec())
scale = jax.device_put(jnp.arange(8.0), whole)
zeros = jnp.zeros((8, 8), device=grid)
print(len(sharding.device_set))


@functools.partial(jax.jit, in_shardings=(grid, whole), out_shardings=grid)
def step(x, scale):
    return x * scale


def placed(tree, devices=jax.devices()):
    return jax.device_put(
        tree,
        jax.sharding.NamedSharding(jax.sharding.Mesh(np.array(devices).reshape(-1), ("x",)), jax.sharding.PartitionSpec()),
    )
