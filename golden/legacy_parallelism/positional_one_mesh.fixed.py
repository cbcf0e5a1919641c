"""A constraint to the one mesh that there is."""

import equinox as eqx
import jax
from jax.experimental import mesh_utils

number = len(jax.devices())
devices = mesh_utils.create_device_mesh((number, 1))
sharding = jax.sharding.NamedSharding(
    jax.sharding.Mesh(devices, ("x", "y")), jax.sharding.PartitionSpec("x", "y")
)
replicated = jax.sharding.NamedSharding(sharding.mesh, jax.sharding.PartitionSpec())


@eqx.filter_jit(donate="all")
def step(model, batch):
    model = eqx.filter_shard(model, replicated)
    batch = eqx.filter_shard(batch, sharding)
    return eqx.filter_shard((model, batch @ model), replicated)
