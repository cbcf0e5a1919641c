"""A constraint to the one mesh that there is."""

import equinox as eqx
import jax
from jax.experimental import mesh_utils
from jax.sharding import PositionalSharding

number = len(jax.devices())
devices = mesh_utils.create_device_mesh((number, 1))
sharding = PositionalSharding(devices)  # want: legacy-parallelism
replicated = sharding.replicate()


@eqx.filter_jit(donate="all")
def step(model, batch):
    model = eqx.filter_shard(model, replicated)
    batch = eqx.filter_shard(batch, sharding)
    return eqx.filter_shard((model, batch @ model), replicated)
