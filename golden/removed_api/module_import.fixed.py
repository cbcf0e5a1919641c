"""A module that is imported for what is gone alone; one that others read as well, and one in a function."""

import jax
import jax.numpy as jnp
from jax import lax, random


def cut(x):
    return x[jnp.index_exp[1:]], jnp.index_exp[:2]


def zeros(key, x):
    order = random.permutation(key, x, independent=True)
    return jnp.zeros_like(order), random.normal(key), lax.sin(x)


def inside(x):
    return jax.tree.map(jnp.add, x, x)
