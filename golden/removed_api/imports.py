"""Taken from `jax` by name: the import changes, its uses stay."""

from jax import tree_leaves  # want: removed-api
from jax import grad, jit, tree_map  # want: removed-api
from jax import tree_flatten as flatten, tree_unflatten as unflatten, vmap  # want: removed-api  # want: removed-api
from jax import (  # of arrays
    numpy as jnp,
    tree_reduce,  # want: removed-api
    tree_structure as structure,  # want: removed-api
    value_and_grad,  # last
)


@jit
def total(tree):
    from jax import tree_all, tree_transpose  # want: removed-api  # want: removed-api

    assert tree_all(tree) or tree_transpose
    return sum(tree_leaves(tree_map(jnp.sum, tree)))


def rebuilt(tree):
    leaves, treedef = flatten(tree)
    assert structure(tree) == treedef
    return unflatten(treedef, leaves), tree_reduce(jnp.add, tree), grad, vmap, value_and_grad


try:
    from jax import tree_map as mapped  # want: removed-api
finally:
    print("loaded")
