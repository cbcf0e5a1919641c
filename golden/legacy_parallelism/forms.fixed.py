"""The forms of a call that are rewritten; a function is bound when it is mapped, not when it is called."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import pmean

AXIS = "batch"


def step(x):
    return x - pmean(x, AXIS)


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


def map_axes_to_one_on(function, axis, in_axes, devices, donate_argnums=()):
    """Maps `function` over the rows of what `in_axes` says 0 of, one for each device."""

    def on_device(*shards):
        rows = [
            shard if one is None else jax.tree.map(lambda x: jnp.squeeze(x, 0), shard)
            for one, shard in zip(in_axes, shards)
        ]
        return function(*rows)

    @functools.partial(jax.jit, donate_argnums=donate_argnums)
    @functools.wraps(function)
    def mapped(*args):
        mesh = jax.sharding.Mesh(np.array(devices), (axis,))
        spec = jax.sharding.PartitionSpec(axis)
        in_specs = tuple(jax.sharding.PartitionSpec() if one is None else spec for one in in_axes)
        call = jax.shard_map(
            on_device, mesh=mesh, in_specs=in_specs, out_specs=jax.sharding.PartitionSpec(), check_vma=False
        )
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
        call = jax.shard_map(on_device, mesh=mesh, in_specs=in_specs, out_specs=spec, check_vma=False)
        return call(*args)

    return mapped


step = map_rows(step, AXIS)


@functools.partial(map_rows, axis="devices")
def double(x):
    return 2 * x


class Trainer:
    def __init__(self, devices):
        self.update = map_axes_to_one_on(self.update, AXIS, (None, 0), devices)

    def update(self, w, x):
        return w - pmean(x, AXIS)


def doubled(x):
    return map_rows(lambda x: double(x) + 1, "devices", donate_argnums=0)(x)


@functools.partial(map_axes, axis="devices", in_axes=(0, None))
def scale(x, factor):
    return x * factor
