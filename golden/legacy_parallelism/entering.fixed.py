"""A mesh that is entered by itself."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec

mesh = Mesh(np.array(jax.devices()), ("data",))
typed = jax.make_mesh((1,), ("data",))


def batches(number):
    return [jnp.ones(8) for _ in range(number)]


@jax.jit
def step(x):
    return jax.lax.with_sharding_constraint(2 * x, PartitionSpec("data"))


x = np.ones(8)
with jax.set_mesh(mesh):
    for number in range(3):
        x = step(x)
        print(number, float(x[0]), np.sum(x))

with jax.set_mesh(Mesh(np.array(jax.devices()), ("data",))):
    step(x)

with mesh:
    step(jnp.ones(8))

with mesh:
    for batch in batches(3):
        step(batch)

with mesh:
    later = [(lambda: jnp.ones(8)) for _ in range(2)]

with Mesh(np.array(jax.devices()), ("data",)) as named:
    step(x)

with typed:
    step(x)
