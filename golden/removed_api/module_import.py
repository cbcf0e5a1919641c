"""A module that is imported for what is gone alone; one that others read as well, and one in a function."""

import jax.numpy as jnp
from jax import lax, ops, random


def cut(x):
    return x[ops.index[1:]], ops.index[:2]  # want: removed-api  # want: removed-api


def zeros(key, x):
    order = random.shuffle(key, x)  # want: removed-api
    return lax.zeros_like_array(order), random.normal(key), lax.sin(x)  # want: removed-api


def inside(x):
    from jax import tree_util

    return tree_util.tree_multimap(jnp.add, x, x)  # want: removed-api
