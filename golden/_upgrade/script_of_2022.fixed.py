"""A training script of 2022 on all devices: `pmap`, `tree_multimap`, `index_update`, `flax.optim`, `host_callback`."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils, optim
from jax import lax
from jax import config
from jax.experimental import host_callback as hcb

config.update("jax_enable_x64", False)
batch, features = 64, 3


def loss_fn(params, x, y):
    hidden = jnp.tanh(x @ params["w"])
    hidden = (hidden - hidden.mean(0)) / (hidden.std(0) + 1e-3)
    return jnp.mean((hidden @ params["v"] - y) ** 2)


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


@functools.partial(map_rows, axis="batch", donate_argnums=(0,))
def train_step(optimizer, average, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(optimizer.target, x, y)
    grads = lax.pmean(jax.tree.map(lambda g: jnp.clip(g, max=1.0, min=-1.0), grads), "batch")
    optimizer = optimizer.apply_gradient(grads)
    average = jax.tree.map(lambda a, p: 0.9 * a + 0.1 * p, average, optimizer.target)
    return optimizer, average, lax.pmean(loss, "batch")


evaluate = map_rows(loss_fn, "batch")


def shards(array):
    return array.reshape(jax.local_device_count(), -1, *array.shape[1:])


def main():
    keys = jax.random.split(jax.random.PRNGKey(0), 4)
    params = {"w": jax.random.normal(keys[0], (features, 8)), "v": jax.random.normal(keys[1], (8,))}
    x, y = jax.random.normal(keys[2], (batch, features)), jax.random.normal(keys[3], (batch,))
    optimizer = jax_utils.replicate(optim.Momentum(learning_rate=0.1, beta=0.9).create(params))
    average = jax_utils.replicate({name: jnp.zeros_like(value) for name, value in params.items()})
    losses = jnp.zeros(4)
    for epoch in range(4):
        optimizer, average, loss = train_step(optimizer, average, shards(x), shards(y))
        losses = losses.at[epoch].set(loss[0])
    hcb.id_print(losses, what="losses")
    print(np.asarray(evaluate(average, shards(x), shards(y))).round(4))
    print(sum(leaf.size for leaf in jax.tree.leaves(jax_utils.unreplicate(optimizer).target)))


if __name__ == "__main__":
    main()
