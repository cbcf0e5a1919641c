"""A training loop of 2022 on all devices: parameters are replicated, batches are sharded."""

import os

import numpy as np

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import functools

import jax
import jax.numpy as jnp
from jax import lax

devices = jax.local_device_count()


def replicate(tree):
    return jax.tree.map(lambda x: jnp.stack([x] * devices), tree)


def shard(x):
    return x.reshape(devices, -1, *x.shape[1:])


def unreplicate(tree):
    return jax.tree.map(lambda x: x[0], tree)


def loss_fn(params, x, y):
    hidden = jnp.tanh(x @ params["w"])
    normal = (hidden - hidden.mean(0)) / (hidden.std(0) + 1e-3)  # of one device
    return jnp.mean((normal @ params["v"] - y) ** 2)


def map_rows(function, axis, donate_argnums=()):
    """Maps `function` over the rows of its arguments, one for each device."""

    def on_device(*shards):
        rows = jax.tree.map(lambda x: jnp.squeeze(x, 0), shards)
        return jax.tree.map(lambda x: jnp.expand_dims(x, 0), function(*rows))

    @functools.partial(jax.jit, donate_argnums=donate_argnums)
    @functools.wraps(function)
    def mapped(*args):
        mesh = jax.sharding.Mesh(np.array(jax.devices()), (axis,))
        spec = jax.sharding.PartitionSpec(axis)
        call = jax.shard_map(on_device, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
        return call(*args)

    return mapped


def map_axes(function, axis, in_axes, donate_argnums=()):
    """Maps `function` over the rows of what `in_axes` says 0 of, one for each device."""

    def on_device(*shards):
        rows = [
            shard if one is None else jax.tree.map(lambda x: jnp.squeeze(x, 0), shard)
            for one, shard in zip(in_axes, shards)
        ]
        return jax.tree.map(lambda x: jnp.expand_dims(x, 0), function(*rows))

    @functools.partial(jax.jit, donate_argnums=donate_argnums)
    @functools.wraps(function)
    def mapped(*args):
        mesh = jax.sharding.Mesh(np.array(jax.devices()), (axis,))
        spec = jax.sharding.PartitionSpec(axis)
        in_specs = tuple(jax.sharding.PartitionSpec() if one is None else spec for one in in_axes)
        call = jax.shard_map(
            on_device, mesh=mesh, in_specs=in_specs, out_specs=spec, check_vma=False
        )
        return call(*args)

    return mapped


@functools.partial(map_rows, axis="batch", donate_argnums=(0,))
def train_step(params, x, y, key):
    key = jax.random.fold_in(key, lax.axis_index("batch"))
    x = x + 0.01 * jax.random.normal(key, x.shape)
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    grads = lax.pmean(grads, "batch")
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
    params = jax.tree.map(lambda p, g: p - 0.1 * g / jnp.maximum(norm, 1.0), params, grads)
    return params, lax.pmean(loss, "batch")


evaluate = map_axes(loss_fn, "batch", (0, 0, None))

keys = jax.random.split(jax.random.PRNGKey(0), 4)
params = {"w": jax.random.normal(keys[0], (3, 5)), "v": jax.random.normal(keys[1], (5,))}
x, y = jax.random.normal(keys[2], (64, 3)), jax.random.normal(keys[3], (64,))
state = replicate(params)
for epoch in range(2):
    state, loss = train_step(state, shard(x), shard(y), replicate(jax.random.PRNGKey(epoch)))
    print(epoch, unreplicate(loss))
print(evaluate(state, shard(x), y[:32]))
print(unreplicate(state))
