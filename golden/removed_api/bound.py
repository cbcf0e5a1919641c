"""A function that `functools.partial` binds keywords of: as a decorator, and in a name."""

from functools import partial

import jax
import numpy as np
from jax.experimental.shard_map import shard_map  # want: removed-api
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("d",))


@jax.jit
@partial(shard_map, mesh=mesh, in_specs=(P("d"), P()), out_specs=P("d"), check_rep=False)
def scaled(x, factor):
    return x * factor


mapped = partial(
    shard_map,
    mesh=mesh,
    in_specs=P("d"),
    out_specs=P(),
)
total = mapped(lambda x: jax.lax.psum(x, "d"))
gathered = shard_map(
    lambda x: jax.lax.all_gather(jax.tree_leaves(x)[0], "d"),  # want: removed-api
    mesh,
    in_specs=P("d"),  # rows
    out_specs=P(),
    check_rep=False,
)
