"""An import that a place which stays still needs."""

import jax.numpy as jnp
from jax import pmap

double = pmap(lambda x: 2 * x)  # want: legacy-parallelism
static = pmap(lambda x, n: x * n, static_broadcasted_argnums=1)  # want: legacy-parallelism (no fix): static
print(double(jnp.ones(1)))
