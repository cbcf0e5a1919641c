"""Taken from `jax` by name: the import changes, its uses stay."""

from jax.tree import leaves as tree_leaves
from jax import grad, jit
from jax.tree import map as tree_map
from jax import vmap
from jax.tree import flatten, unflatten
from jax import (  # of arrays
    numpy as jnp,
    value_and_grad,  # last
)
from jax.tree import reduce as tree_reduce
from jax.tree import structure


@jit
def total(tree):
    from jax.tree import all as tree_all, transpose as tree_transpose

    assert tree_all(tree) or tree_transpose
    return sum(tree_leaves(tree_map(jnp.sum, tree)))


def rebuilt(tree):
    leaves, treedef = flatten(tree)
    assert structure(tree) == treedef
    return unflatten(treedef, leaves), tree_reduce(jnp.add, tree), grad, vmap, value_and_grad


try:
    from jax.tree import map as mapped
finally:
    print("loaded")
