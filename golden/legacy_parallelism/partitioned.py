"""`pjit` under the one mesh of a file: each `PartitionSpec` is placed on it, and None is no sharding of its own."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pjit import pjit
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = P("data")


def forward(params, x):
    return jnp.tanh(x @ params["w"]) + params["b"]


@pjit  # want: legacy-parallelism
def twice(x):
    return 2 * x


@partial(pjit, in_axis_resources=(None, rows), out_axis_resources=rows, donate_argnums=(1,))
def loss(params, x):
    return forward(params, x)


predict = pjit(
    forward,
    in_axis_resources=({"w": P(), "b": None}, P("data")),  # rows of a batch
    out_axis_resources=P("data"),
)
placed = pjit(forward, ({"w": P(), "b": P()}, NamedSharding(mesh, rows)), rows)

with mesh:  # want: legacy-parallelism (no fix): rewrite it first
    predict({"w": np.eye(4), "b": np.ones(4)}, np.ones((8, 4)))
