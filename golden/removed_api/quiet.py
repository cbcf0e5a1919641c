"""Names of today, names of others, and code that asks which jax it runs with."""

import contextlib

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import pytest
from jax import tree_util
from jax.tree_util import tree_leaves, tree_map

import other

try:
    from jax import tree_all
except ImportError:
    from jax.tree import all as tree_all

try:
    reduce = jax.tree_reduce
except (KeyError, AttributeError):
    reduce = jax.tree.reduce

if hasattr(jax, "tree_flatten"):
    flatten = jax.tree_flatten
else:
    flatten = jax.tree.flatten

unflatten = jax.tree_unflatten if jax.__version_info__ < (0, 4, 25) else jax.tree.unflatten
structure = getattr(jax, "tree_structure", jax.tree.structure)


def total(tree):
    if jax.version.__version__ < "0.4":
        from jax import tree_transpose

        return tree_transpose(tree)
    return jax.tree.map(sum, jtu.tree_map(sum, tree_util.tree_map(sum, tree_map(sum, tree_leaves(tree)))))


class Tree:
    def tree_map(self, function):
        return other.tree_map(function, self.tree_leaves())


def local(jax):
    return jax.tree_map(sum, jax)


jax.treedef_is_leaf = jax.tree_util.treedef_is_leaf
setattr(jnp, "msort", lambda x: jnp.sort(x, axis=0))
print(jax.treedef_is_leaf(jax.tree.structure(1)), jnp.msort(jnp.ones(2)))

with contextlib.suppress(AttributeError):
    print(jax.tree_leaves([1]))


def test_names_are_gone():
    with pytest.raises((ImportError, AttributeError)):
        jax.tree_structure([1])
