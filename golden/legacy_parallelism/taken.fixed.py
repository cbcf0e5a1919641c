"""The name of the function that maps is one of the file already, which means something else."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


def map_rows_2(function, axis):
    """Maps `function` over the rows of its arguments, one for each device."""

    def on_device(*shards):
        rows = jax.tree.map(lambda x: jnp.squeeze(x, 0), shards)
        return jax.tree.map(lambda x: jnp.expand_dims(x, 0), function(*rows))

    @jax.jit
    @functools.wraps(function)
    def mapped(*args):
        mesh = jax.sharding.Mesh(np.array(jax.devices()), (axis,))
        spec = jax.sharding.PartitionSpec(axis)
        call = jax.shard_map(on_device, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
        return call(*args)

    return mapped


rows = map_rows_2(abs, "devices")


def map_rows(function, table):
    return [function(row) for row in table]
