"""Names that moved to other modules, as the file spells them."""

from typing import Optional, Union

import jax
import jax.numpy as jnp
import jax.random as jrandom
from jax import lax, ops
from jax.config import config  # want: removed-api
from jax.core import ClosedJaxpr, Primitive  # want: removed-api  # want: removed-api
from jax.experimental import maps, stax  # want: removed-api  # want: removed-api
from jax.experimental.pjit import with_sharding_constraint  # want: removed-api
from jax.interpreters import pxla
from jax.lib import xla_bridge  # want: removed-api
from jax.ops import index, index_add  # want: removed-api
from jax.random import KeyArray  # want: removed-api

config.update("jax_enable_x64", True)
mesh = maps.Mesh(jax.devices(), ("data",))
spec = pxla.PartitionSpec("data")  # want: removed-api
platform = xla_bridge.get_backend().platform
Array = Union[jnp.ndarray, jnp.DeviceArray]  # want: removed-api
LOWEST = jnp.NINF  # want: removed-api
add_p: Primitive = Primitive("add")


def drawn(key: KeyArray, again: Optional[jrandom.KeyArray] = None) -> jnp.DeviceArray:  # want: removed-api  # want: removed-api
    return jrandom.normal(key, (3,)) * jnp.product(jnp.arange(3))  # want: removed-api


def updated(x, y):
    x = ops.index_update(x, ops.index[1:, 0], y)  # want: removed-api  # want: removed-api
    x = index_add(x, index[0], lax.tie_in(x, y + 1))  # want: removed-api
    x = jax.ops.index_mul(x + 1, 0, y=2.0)  # want: removed-api
    return jnp.maximum(x**2, jnp.NINF**2), jnp.msort(x)  # want: removed-api  # want: removed-api


def shuffled(key, x):
    with jax.experimental.enable_x64():  # want: removed-api
        return jax.random.shuffle(key, x, axis=1)  # want: removed-api


def constrained(x, init: ClosedJaxpr):
    return with_sharding_constraint(x, spec), stax.Dense(3), jax.tree_multimap(jnp.add, x, x)  # want: removed-api


def indexed(x, y):
    from jax.ops import index, index_update as put  # want: removed-api

    return put(put(x, index[0], y), (index[1]), put(x, index[:], -y)[0])
