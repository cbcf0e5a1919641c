"""Selections that `where=` may not stand for."""

import jax
import jax.numpy as jnp


def with_none_it_raises(rows):
    for row in rows:
        print(jnp.max(row[row > 0]))  # want: boolean-mask (no fix): raises where nothing is selected
        print(jnp.min(row[row > 0]))  # want: boolean-mask (no fix): raises where nothing is selected


def gradients_of_spreads(rows):
    for row in rows:
        print(jnp.std(row[row > 0]))  # want: boolean-mask (no fix): gradient of `std`


def rows_by_their_labels(table, labels, n):
    found = []
    for j in range(n):
        found.append(jnp.mean(table[labels == j]))  # want: boolean-mask (no fix): fewer dimensions
    return found


def one_column(table, limits):
    for limit in limits:
        print(jnp.sum(table[table[:, 0] > limit]))  # want: boolean-mask (no fix): fewer dimensions
        print(jnp.sum(table[jnp.any(table)]))  # want: boolean-mask (no fix): fewer dimensions


def computed_there(x, limits):
    for limit in limits:
        print(jnp.sum((x + 1)[x > limit]))  # want: boolean-mask (no fix): computed there


def made_of_another(x, order):
    mask = x > 0
    x = order(x)
    return jnp.sum(x[mask])  # want: boolean-mask (no fix): fewer dimensions


def made_at_times(rows):
    for i, row in enumerate(rows):
        if i == 0:
            mask = row > 0
        print(jnp.sum(row[mask]))  # want: boolean-mask (no fix): fewer dimensions


def taken_under_jit(x):
    return jnp.sum(x[x > 0])  # want: boolean-mask (no fix): is passed on


def at_once_or_one_by_one(xs):
    try:
        return jax.vmap(taken_under_jit)(xs)
    except jax.errors.NonConcreteBooleanIndexError:
        return [taken_under_jit(x) for x in xs]


def handed_on(x):
    return jnp.sum(x[x > 0])  # want: boolean-mask (no fix): passed on


def over(rows, dispatch):
    return [handed_on(row) for row in rows], dispatch(handed_on, rows)


def _inner(x):
    return jnp.sum(x[x > 0])  # want: boolean-mask (no fix): under a trace too


def _outer(x):
    return 2 * _inner(x)


def at_once_or_eagerly(rows):
    try:
        return [jax.jit(_outer)(row) for row in rows]
    except jax.errors.NonConcreteBooleanIndexError:
        return [_inner(row) for row in rows]
