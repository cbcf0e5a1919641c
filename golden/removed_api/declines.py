"""What no rule rewrites: each line says what to do by hand."""

import flax
import jax
import jax.numpy as jnp
from flax import optim  # want: removed-api (no fix): optax
from jax.experimental import host_callback as hcb  # want: removed-api (no fix): callback
from jax.experimental.maps import Mesh, xmap  # want: removed-api  # want: removed-api (no fix): shard_map
from jax.ops import index_update  # want: removed-api (no fix): passed on
from jax.util import *  # want: removed-api (no fix): every name

update = jax.vmap(index_update)


def replicated(x, arguments):
    x = jax.device_put_replicated(x, jax.devices())  # want: removed-api (no fix): leading axis
    x = jax.ops.index_add(*arguments)  # want: removed-api (no fix): hides
    x = jax.ops.index_add(x, 0, 1, True)  # want: removed-api (no fix): other arguments
    x = jax.lax.tie_in(jnp.sin(x), x)  # want: removed-api (no fix): left out
    return hcb.id_print(x), optim.Adam(), flax.nn.Dense, xmap, Mesh, jnp.clip(x, 0, a_max=1, max=1)  # want: removed-api (no fix)  # want: removed-api (no fix): given as well


f = jax.jit(lambda x: x, backend="cpu")  # want: removed-api (no fix): device_put
clipped = jnp.clip(jnp.arange(4.0), a_min=1.0, **{"a_max": 2.0})  # want: removed-api (no fix): may pass another
