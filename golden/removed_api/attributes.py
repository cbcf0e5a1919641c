"""Read of `jax`, under whatever name."""

from functools import partial

import jax
import jax as j
import jax.numpy as jnp

double = partial(jax.tree_map, lambda x: 2 * x)  # want: removed-api
tree_map = jax.tree_map  # want: removed-api


def norm(tree):
    squares = tree_map(jnp.square, tree)  # a name of this file: it is what the line above makes of it
    return jnp.sqrt(j.tree_reduce(jnp.add, jax.tree_map(jnp.sum, squares)))  # want: removed-api  # want: removed-api


def rebuilt(tree):
    leaves, treedef = jax.tree_flatten(  # want: removed-api
        tree,
        is_leaf=lambda x: x is None,  # as a leaf
    )
    assert jax.tree_structure(tree) == treedef  # want: removed-api
    assert len(leaves) == len(jax.tree_leaves(tree))  # want: removed-api
    return jax.tree_unflatten(treedef, leaves)  # want: removed-api


def flipped(outer, inner, tree):
    if not jax.tree_all(tree):  # want: removed-api
        return jax.tree_transpose(outer, inner, tree)  # want: removed-api
    return tree
