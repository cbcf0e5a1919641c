"""Read of `jax`, under whatever name."""

from functools import partial

import jax
import jax as j
import jax.numpy as jnp

double = partial(jax.tree_map, lambda x: 2 * x)  # want: removed-tree-function
tree_map = jax.tree_map  # want: removed-tree-function


def norm(tree):
    squares = tree_map(jnp.square, tree)  # a name of this file: it is what the line above makes of it
    return jnp.sqrt(j.tree_reduce(jnp.add, jax.tree_map(jnp.sum, squares)))  # want: removed-tree-function  # want: removed-tree-function


def rebuilt(tree):
    leaves, treedef = jax.tree_flatten(  # want: removed-tree-function
        tree,
        is_leaf=lambda x: x is None,  # as a leaf
    )
    assert jax.tree_structure(tree) == treedef  # want: removed-tree-function
    assert len(leaves) == len(jax.tree_leaves(tree))  # want: removed-tree-function
    return jax.tree_unflatten(treedef, leaves)  # want: removed-tree-function


def flipped(outer, inner, tree):
    if not jax.tree_all(tree):  # want: removed-tree-function
        return jax.tree_transpose(outer, inner, tree)  # want: removed-tree-function
    return tree
