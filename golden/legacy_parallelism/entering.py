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
with mesh:  # want: legacy-parallelism
    for number in range(3):
        x = step(x)
        print(number, float(x[0]), np.sum(x))

with Mesh(np.array(jax.devices()), ("data",)):  # want: legacy-parallelism
    step(x)

with mesh:  # want: legacy-parallelism (no fix): `jnp.ones` in line 31 may make arrays
    step(jnp.ones(8))

with mesh:  # want: legacy-parallelism (no fix): `batches` in line 34 may make arrays
    for batch in batches(3):
        step(batch)

with mesh:  # want: legacy-parallelism (no fix): defines a function
    later = [(lambda: jnp.ones(8)) for _ in range(2)]

with Mesh(np.array(jax.devices()), ("data",)) as named:  # want: legacy-parallelism (no fix): names the mesh
    step(x)

with typed:  # want: legacy-parallelism (no fix): `Explicit`
    step(x)
