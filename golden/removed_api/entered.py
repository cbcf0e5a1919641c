"""`use_mesh`, whose place is taken by what enters the mesh when it is called."""

import contextlib

import jax
from jax.sharding import use_mesh  # want: removed-api

mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))

with use_mesh(mesh):
    print(jax.numpy.ones(2))

with contextlib.ExitStack() as stack:
    stack.enter_context(jax.sharding.use_mesh(mesh))  # want: removed-api
    print(jax.numpy.ones(2))
