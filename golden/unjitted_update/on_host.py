"""Batches of NumPy, cut for the devices: nothing is dispatched before the step."""

import jax
import jax.numpy as jnp
import numpy as np


def shard(tree):
    return jax.tree.map(lambda x: x.reshape((jax.local_device_count(), -1) + x.shape[1:]), tree)


def turned(tree):
    return jax.tree.map(lambda x: x.transpose(0, 2, 1).astype("float32").reshape(x.shape[0], -1), tree)


def scaled(tree):
    return jax.tree.map(lambda x: jnp.clip(x.reshape(x.shape[0], -1) / 255.0, 0.0, 1.0), tree)


@jax.pmap
def step(params, batch):
    return params - 0.1 * jnp.mean(batch["x"])


def main(batches):
    params = jnp.ones(1)
    for batch in batches:
        params = step(params, shard(batch))
    for batch in iter(batches):
        params = step(params, turned(batch))
    for batch in batches:
        params = step(params, scaled(batch))  # want: unjitted-update
    return params


main([{"x": np.ones((8, 3, 3))} for _ in range(100)])
