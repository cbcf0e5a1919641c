"""A training script of 2022 on all devices: `pmap`, `tree_multimap`, `index_update`, `flax.optim`, `host_callback`."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import jax_utils, optim  # want: removed-api (no fix): optax
from jax import lax
from jax.config import config  # want: removed-api
from jax.experimental import host_callback as hcb  # want: removed-api (no fix): io_callback
from jax.ops import index, index_update  # want: removed-api

config.update("jax_enable_x64", False)
batch, features = 64, 3


def loss_fn(params, x, y):
    hidden = jnp.tanh(x @ params["w"])
    hidden = (hidden - hidden.mean(0)) / (hidden.std(0) + 1e-3)
    return jnp.mean((hidden @ params["v"] - y) ** 2)


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0,))  # want: legacy-parallelism
def train_step(optimizer, average, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(optimizer.target, x, y)
    grads = lax.pmean(jax.tree_map(lambda g: jnp.clip(g, a_max=1.0, a_min=-1.0), grads), "batch")  # want: removed-api  # want: removed-api
    optimizer = optimizer.apply_gradient(grads)
    average = jax.tree_multimap(lambda a, p: 0.9 * a + 0.1 * p, average, optimizer.target)  # want: removed-api
    return optimizer, average, lax.pmean(loss, "batch")


evaluate = jax.pmap(loss_fn, axis_name="batch")  # want: legacy-parallelism


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
        losses = index_update(losses, index[epoch], loss[0])
    hcb.id_print(losses, what="losses")
    print(np.asarray(evaluate(average, shards(x), shards(y))).round(4))
    print(sum(leaf.size for leaf in jax.tree_leaves(jax_utils.unreplicate(optimizer).target)))  # want: removed-api


if __name__ == "__main__":
    main()
