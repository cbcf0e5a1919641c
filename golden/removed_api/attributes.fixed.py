"""Read of `jax`, under whatever name."""

from functools import partial

import jax
import jax as j
import jax.numpy as jnp

double = partial(jax.tree.map, lambda x: 2 * x)
tree_map = jax.tree.map


def norm(tree):
    squares = tree_map(jnp.square, tree)  # a name of this file: it is what the line above makes of it
    return jnp.sqrt(j.tree.reduce(jnp.add, jax.tree.map(jnp.sum, squares)))


def rebuilt(tree):
    leaves, treedef = jax.tree.flatten(
        tree,
        is_leaf=lambda x: x is None,  # as a leaf
    )
    assert jax.tree.structure(tree) == treedef
    assert len(leaves) == len(jax.tree.leaves(tree))
    return jax.tree.unflatten(treedef, leaves)


def flipped(outer, inner, tree):
    if not jax.tree.all(tree):
        return jax.tree.transpose(outer, inner, tree)
    return tree
