"""`pjit` whose mesh, or whose specifications, the file does not show."""

import jax
import numpy as np
from jax.experimental.pjit import pjit
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from mine import specs

one = Mesh(np.array(jax.devices()), ("data",))
OPTIONS = {"in_shardings": P("data")}


def step(x):
    return 2 * x


unknown = pjit(step, in_shardings=specs)  # want: legacy-parallelism (no fix): may be no
several = pjit(step, in_shardings=P("data"))  # want: legacy-parallelism (no fix): no mesh, or several
hidden = pjit(step, **OPTIONS)  # want: legacy-parallelism (no fix): hides
handed_on = {"map": pjit}  # want: legacy-parallelism (no fix): passed on
there = pjit(step, device=jax.devices()[0])  # want: legacy-parallelism (no fix): `device`

with one:  # want: legacy-parallelism (no fix): rewrite it first
    several(np.ones(8))
with Mesh(np.array(jax.devices()[:2]), ("data",)) as other:  # want: legacy-parallelism (no fix): names the mesh
    several(np.ones(8))
