"""What no rule rewrites: each line says what to do by hand."""

import flax
import jax
import jax.numpy as jnp
from flax import optim
from jax.experimental import host_callback as hcb
from jax.experimental.maps import xmap
from jax.sharding import Mesh
from jax.ops import index_update
from jax.util import *

update = jax.vmap(index_update)


def replicated(x, arguments):
    x = jax.device_put_replicated(x, jax.devices())
    x = jax.ops.index_add(*arguments)
    x = jax.ops.index_add(x, 0, 1, True)
    x = jax.lax.tie_in(jnp.sin(x), x)
    return hcb.id_print(x), optim.Adam(), flax.nn.Dense, xmap, Mesh, jnp.clip(x, 0, a_max=1, max=1)


f = jax.jit(lambda x: x, backend="cpu")
clipped = jnp.clip(jnp.arange(4.0), a_min=1.0, **{"a_max": 2.0})
