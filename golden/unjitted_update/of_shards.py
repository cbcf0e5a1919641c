"""Steps that a decorator of the file puts under `jit` of `shard_map`, as a replaced `pmap`: they are one program."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

optimizer = optax.adam(1e-3)


def map_rows(function, axis, donate_argnums=()):
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


def loss(params, batch):
    return jnp.sum((batch @ params) ** 2)


@functools.partial(map_rows, axis="batch", donate_argnums=(0, 1))
def train_step(params, state, batch):
    value, gradient = jax.value_and_grad(loss)(params, batch)
    gradient = jax.lax.pmean(gradient, axis_name="batch")
    norm = optax.global_norm(gradient)
    updates, state = optimizer.update(gradient, state)
    return optax.apply_updates(params, updates), state, jax.lax.pmean(value, axis_name="batch"), norm


@functools.partial(map_rows, axis="batch")
def eval_step(params, batch):
    prediction = jnp.tanh(batch @ params)
    error = jnp.mean((prediction - batch) ** 2) + jnp.mean(jnp.abs(prediction))
    return jax.lax.pmean(error, axis_name="batch")


def get_batch(key):
    return jax.random.normal(key, (jax.local_device_count(), 16, 8))


if __name__ == "__main__":
    key = jax.random.key(0)
    params = jnp.zeros((jax.local_device_count(), 8, 8))
    state = jax.vmap(optimizer.init)(params)
    total = 0.0
    for step in range(1000):
        key, part = jax.random.split(key)
        params, state, value, norm = train_step(params, state, get_batch(part))
    for step in range(100):
        key, part = jax.random.split(key)
        total += jnp.mean(eval_step(params, get_batch(part)))
    print(total / 100)
