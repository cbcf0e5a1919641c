"""Where a handler of all exceptions takes the error."""

import contextlib

import jax

try:
    from jax import tree_map  # want: removed-api
except Exception:
    tree_map = None

with contextlib.suppress(Exception):
    tree_leaves = jax.tree_leaves  # want: removed-api


def total(tree):
    try:
        return sum(jax.tree_leaves(tree))  # want: removed-api
    except:
        return 0.0


def doubled(tree):
    try:
        return jax.tree.map(lambda x: 2 * x, tree)
    except Exception:
        return jax.tree_map(lambda x: 2 * x, tree)  # want: removed-api


def later(tree):
    try:
        return (lambda: jax.tree_map(lambda x: 2 * x, tree))()  # want: removed-api
    except Exception:
        return tree
