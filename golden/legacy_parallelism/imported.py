"""An import that several fixes take the last uses of together; one that a place which stays still needs."""

import jax
import jax.numpy as jnp
from jax import lax, pmap

double = pmap(lambda x: 2 * x)  # want: legacy-parallelism


@pmap  # want: legacy-parallelism
def total(x):
    return jnp.sum(x)


triple = pmap(lambda x: lax.psum(x, "d"), "d")  # want: legacy-parallelism
print(double, total, triple, jax.__name__)
