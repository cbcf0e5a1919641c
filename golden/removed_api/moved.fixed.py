"""Names that moved to other modules, as the file spells them."""

from typing import Optional, Union

import jax
import jax.numpy as jnp
import jax.random as jrandom
from jax import config
from jax.extend.core import ClosedJaxpr, Primitive
from jax.example_libraries import stax
from jax.lax import with_sharding_constraint
from jax.extend import backend
from jax import Array as KeyArray

config.update("jax_enable_x64", True)
mesh = jax.sharding.Mesh(jax.devices(), ("data",))
spec = jax.sharding.PartitionSpec("data")
platform = backend.get_backend().platform
Array = Union[jnp.ndarray, jax.Array]
LOWEST = -jnp.inf
add_p: Primitive = Primitive("add")


def drawn(key: KeyArray, again: Optional[jax.Array] = None) -> jax.Array:
    return jrandom.normal(key, (3,)) * jnp.prod(jnp.arange(3))


def updated(x, y):
    x = x.at[1:, 0].set(y)
    x = x.at[0].add((y + 1))
    x = (x + 1).at[0].multiply(2.0)
    return jnp.maximum(x**2, (-jnp.inf)**2), jnp.sort(x, axis=0)


def shuffled(key, x):
    with jax.enable_x64(True):
        return jax.random.permutation(key, x, axis=1, independent=True)


def constrained(x, init: ClosedJaxpr):
    return with_sharding_constraint(x, spec), stax.Dense(3), jax.tree.map(jnp.add, x, x)


def indexed(x, y):

    return x.at[0].set(y).at[1].set(x.at[:].set(-y)[0])
