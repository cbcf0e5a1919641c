"""Where a handler of all exceptions takes the error."""

import contextlib

import jax

try:
    from jax.tree import map as tree_map
except Exception:
    tree_map = None

with contextlib.suppress(Exception):
    tree_leaves = jax.tree.leaves


def total(tree):
    try:
        return sum(jax.tree.leaves(tree))
    except:
        return 0.0


def doubled(tree):
    try:
        return jax.tree.map(lambda x: 2 * x, tree)
    except Exception:
        return jax.tree.map(lambda x: 2 * x, tree)


def later(tree):
    try:
        return (lambda: jax.tree.map(lambda x: 2 * x, tree))()
    except Exception:
        return tree
