"""Taken from `jax` by name: the import changes, its uses stay."""

from jax import tree_leaves  # want: removed-tree-function
from jax import grad, jit, tree_map  # want: removed-tree-function
from jax import tree_flatten as flatten, tree_unflatten as unflatten, vmap  # want: removed-tree-function  # want: removed-tree-function
from jax import (  # of arrays
    numpy as jnp,
    tree_reduce,  # want: removed-tree-function
    tree_structure as structure,  # want: removed-tree-function
    value_and_grad,  # last
)


@jit
def total(tree):
    from jax import tree_all, tree_transpose  # want: removed-tree-function  # want: removed-tree-function

    assert tree_all(tree) or tree_transpose
    return sum(tree_leaves(tree_map(jnp.sum, tree)))


def rebuilt(tree):
    leaves, treedef = flatten(tree)
    assert structure(tree) == treedef
    return unflatten(treedef, leaves), tree_reduce(jnp.add, tree), grad, vmap, value_and_grad


try:
    from jax import tree_map as mapped  # want: removed-tree-function
finally:
    print("loaded")
