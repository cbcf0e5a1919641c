"""Elements by their positions: as many lengths as there are counts."""

import jax
import jax.numpy as jnp
import numpy as np


def accuracy(predicted, actual, pad=1):
    known = jnp.nonzero(actual != pad)  # want: boolean-mask (no fix): keep the shape
    matches = jnp.equal(predicted[known], actual[known])
    return jnp.sum(matches) / actual[known].shape[0]


def evaluate(batches):
    return [accuracy(predicted, actual) for predicted, actual in batches]


def large(rows, limit):
    for row in rows:
        print(row[jnp.flatnonzero(row > limit)] * 2)  # want: boolean-mask (no fix): keep the shape


def by_one_condition(rows, limit):
    for row in rows:
        print(row[jnp.where(row > limit)] * 2)  # want: boolean-mask (no fix): keep the shape
        print(row[jnp.where(row > limit, None, None)])  # want: boolean-mask (no fix): keep the shape
        print(row[jnp.nonzero(row > limit, size=None)])  # want: boolean-mask (no fix): keep the shape


# As many as are asked for; only counted; of NumPy; under a trace it would raise.
def padded(rows, limit):
    for row in rows:
        print(row[jnp.flatnonzero(row > limit, size=8, fill_value=0)])


def counted(rows, limit):
    for row in rows:
        found = jnp.flatnonzero(row > limit)
        print(len(found))


def of_numpy(rows, limit):
    for row in np.asarray(rows):
        print(row[np.flatnonzero(row > limit)])


@jax.jit
def traced(row):
    return row[jnp.flatnonzero(row > 0)]


batches = [(jnp.arange(10), jnp.arange(10) % 3)] * 10
print(evaluate(batches))
large(jnp.ones((100, 8)), 0.5)
by_one_condition(jnp.ones((100, 8)), 0.5)
