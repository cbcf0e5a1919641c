"""`pjit` under the one mesh of a file: each `PartitionSpec` is placed on it, and None is no sharding of its own."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = P("data")


def forward(params, x):
    return jnp.tanh(x @ params["w"]) + params["b"]


@jax.jit
def twice(x):
    return 2 * x


@partial(
    jax.jit,
    in_shardings=(NamedSharding(mesh, P()), NamedSharding(mesh, rows)),
    out_shardings=NamedSharding(mesh, rows),
    donate_argnums=(1,),
)
def loss(params, x):
    return forward(params, x)


predict = jax.jit(
    forward,
    in_shardings=({"w": NamedSharding(mesh, P()), "b": NamedSharding(mesh, P())}, NamedSharding(mesh, P("data"))),  # rows of a batch
    out_shardings=NamedSharding(mesh, P("data")),
)
placed = jax.jit(
    forward,
    in_shardings=({"w": NamedSharding(mesh, P()), "b": NamedSharding(mesh, P())}, NamedSharding(mesh, rows)),
    out_shardings=NamedSharding(mesh, rows),
)

with jax.set_mesh(mesh):
    predict({"w": np.eye(4), "b": np.ones(4)}, np.ones((8, 4)))
