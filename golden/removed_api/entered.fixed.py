"""`use_mesh`, whose place is taken by what enters the mesh when it is called."""

import contextlib

import jax

mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))

with jax.set_mesh(mesh):
    print(jax.numpy.ones(2))

with contextlib.ExitStack() as stack:
    stack.enter_context(jax.set_mesh(mesh))
    print(jax.numpy.ones(2))
