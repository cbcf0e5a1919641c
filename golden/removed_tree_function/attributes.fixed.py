"""Read of `jax`, under whatever name."""

from functools import partial

import jax
import jax as j
import jax.numpy as jnp

double = partial(jax.tree.map, lambda x: 2 * x)  # want: removed-tree-function
tree_map = jax.tree.map  # want: removed-tree-function


def norm(tree):
    squares = tree_map(jnp.square, tree)  # a name of this file: it is what the line above makes of it
    return jnp.sqrt(j.tree.reduce(jnp.add, jax.tree.map(jnp.sum, squares)))  # want: removed-tree-function  # want: removed-tree-function


def rebuilt(tree):
    leaves, treedef = jax.tree.flatten(  # want: removed-tree-function
        tree,
        is_leaf=lambda x: x is None,  # as a leaf
    )
    assert jax.tree.structure(tree) == treedef  # want: removed-tree-function
    assert len(leaves) == len(jax.tree.leaves(tree))  # want: removed-tree-function
    return jax.tree.unflatten(treedef, leaves)  # want: removed-tree-function


def flipped(outer, inner, tree):
    if not jax.tree.all(tree):  # want: removed-tree-function
        return jax.tree.transpose(outer, inner, tree)  # want: removed-tree-function
    return tree
