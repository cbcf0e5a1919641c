"""Every update is a tree: without the names that jax has today, the first one raises."""

import jax
import jax.numpy as jnp
from jax import grad
from jax.tree import leaves as tree_leaves


def loss(params):
    return sum(jnp.sum(leaf**2) for leaf in tree_leaves(params))


params = {"w": jnp.arange(3.0), "b": jnp.ones(2)}
for _ in range(3):
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grad(loss)(params))
print(f"{loss(params):.4f}")
