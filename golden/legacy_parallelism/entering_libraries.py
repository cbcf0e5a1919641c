"""A mesh that a library may read by itself."""

import jax
import numpy as np
from flax import linen as nn
from jax.sharding import Mesh

mesh = Mesh(np.array(jax.devices()), ("data",))
step = jax.jit(lambda x: nn.with_logical_constraint(2 * x, ("batch",)))

with mesh, nn.logical_axis_rules((("batch", "data"),)):  # want: legacy-parallelism (no fix): `flax` may read
    step(np.ones(8))
