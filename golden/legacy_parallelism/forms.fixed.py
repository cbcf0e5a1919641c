"""The forms of a call that are rewritten; a function is bound when it is mapped, not when it is called."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import pmap
from jax.lax import pmean

AXIS = "batch"


def step(x):
    return x - pmean(x, AXIS)


step = jax.jit(
    lambda *shards, step=step: jax.shard_map(
        lambda *shard: jax.tree.map(
            lambda x: jnp.expand_dims(x, 0), step(*jax.tree.map(lambda x: jnp.squeeze(x, 0), shard))
        ),
        mesh=jax.sharding.Mesh(np.array(jax.devices()), (AXIS,)),
        in_specs=jax.sharding.PartitionSpec(AXIS),
        out_specs=jax.sharding.PartitionSpec(AXIS),
        check_vma=False,
    )(*shards),
)


@lambda double: jax.jit(
    lambda *shards: jax.shard_map(
        lambda *shard: jax.tree.map(
            lambda x: jnp.expand_dims(x, 0), double(*jax.tree.map(lambda x: jnp.squeeze(x, 0), shard))
        ),
        mesh=jax.sharding.Mesh(np.array(jax.devices()), ("devices",)),
        in_specs=jax.sharding.PartitionSpec("devices"),
        out_specs=jax.sharding.PartitionSpec("devices"),
        check_vma=False,
    )(*shards),
)
def double(x):
    return 2 * x


class Trainer:
    def __init__(self, devices):
        self.update = jax.jit(
            lambda *shards, update=self.update: jax.shard_map(
                lambda shard0, shard1: update(
                    shard0,
                    jax.tree.map(lambda x: jnp.squeeze(x, 0), shard1),
                ),
                mesh=jax.sharding.Mesh(np.array(devices), (AXIS,)),
                in_specs=(
                    jax.sharding.PartitionSpec(),
                    jax.sharding.PartitionSpec(AXIS),
                ),
                out_specs=jax.sharding.PartitionSpec(),
                check_vma=False,
            )(*shards),
        )

    def update(self, w, x):
        return w - pmean(x, AXIS)


def doubled(x):
    return jax.jit(
        lambda *shards, function=lambda x: double(x) + 1: jax.shard_map(
            lambda *shard: jax.tree.map(
                lambda x: jnp.expand_dims(x, 0), function(*jax.tree.map(lambda x: jnp.squeeze(x, 0), shard))
            ),
            mesh=jax.sharding.Mesh(np.array(jax.devices()), ("devices",)),
            in_specs=jax.sharding.PartitionSpec("devices"),
            out_specs=jax.sharding.PartitionSpec("devices"),
            check_vma=False,
        )(*shards),
        donate_argnums=0,
    )(x)


@lambda scale: jax.jit(
    lambda *shards: jax.shard_map(
        lambda shard0, shard1: jax.tree.map(
            lambda x: jnp.expand_dims(x, 0), scale(
                jax.tree.map(lambda x: jnp.squeeze(x, 0), shard0),
                shard1,
            )
        ),
        mesh=jax.sharding.Mesh(np.array(jax.devices()), ("devices",)),
        in_specs=(
            jax.sharding.PartitionSpec("devices"),
            jax.sharding.PartitionSpec(),
        ),
        out_specs=jax.sharding.PartitionSpec("devices"),
        check_vma=False,
    )(*shards),
)
def scale(x, factor):
    return x * factor
