"""`use_mesh` whose context is entered later, or never."""

import jax
from jax.sharding import use_mesh  # want: removed-api (no fix): when it is called

mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
context = use_mesh(mesh)
other = jax.sharding.use_mesh(mesh)  # want: removed-api (no fix): when it is called
print(jax.numpy.ones(2))
with context:
    print(jax.numpy.ones(2))
