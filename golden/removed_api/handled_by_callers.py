"""The error that is cured is taken by a caller: other code runs with the fix, which a rerun has to show."""

import jax


def doubled(tree):
    return jax.tree_map(lambda v: 2 * v, tree)  # want: removed-api


def doubled_or_none(tree):
    try:
        return doubled(tree)
    except AttributeError:
        return None


def halved(tree):
    return jax.tree_map(lambda v: v / 2, tree)  # want: removed-api


print(doubled_or_none([1.0]), halved([1.0]))
