"""Selections that are none by a mask, or that nothing is compiled for."""

import jax
import jax.numpy as jnp
import numpy as np


# By position, or by what may be positions.
def by_position(x, picked, n):
    return jnp.sum(x[picked]), jnp.sum(x[:n]), jnp.sum(x[jnp.arange(n)]), x[n].sum()


def by_what_was_once_a_mask(x, order):
    mask = x > 0
    mask = order
    return jnp.sum(x[mask])


# Along an axis, of another type, from elsewhere.
def with_more(x):
    return jnp.sum(x[x > 0], axis=0), jnp.sum(x[x > 0], dtype=jnp.int8), jnp.sum(x, where=x > 0)


# NumPy compiles nothing.
def of_numpy(n):
    x = np.arange(n)
    return x[x > 2].sum(), np.sum(x[x > 2]), jnp.sum(x[x > 2])


def of_what_it_is_not_known(x):
    return x[x > 2].sum()


# Under a trace it would raise, except a mask that is known there.
@jax.jit
def traced(x):
    return jnp.sum(x[np.array([True, False])])


# Once, at the top of a script.
if __name__ == "__main__":
    values = jnp.arange(5.0)
    print(jnp.sum(values[values > 1]))


# Of an object of the file's own, which a decorator makes of the array.
class Sharded:
    def __init__(self, value):
        self.value = np.asarray(value)

    def __gt__(self, other):
        return Sharded(self.value > other)

    def __getitem__(self, index):
        return self.value[index.value]


def sharded(function):
    return lambda *args: Sharded(function(*args))


@sharded
def zeros(n):
    return jnp.zeros(n)


def of_objects(count):
    for n in range(count):
        values = zeros(n)
        print(values[values > 0.5].sum())


# Of several values by a condition: the shape of what it chooses between, not a selection by value.
def chosen(q, n):
    for _ in range(n):
        i = jnp.where(q[0] > q[1], 0, 1)
        j = jnp.where(q > 0, x=0, y=1)
        q = q.at[i].add(q[i] * 2) + q[j] - q[jnp.where(*(q > 1, 0, 1))]
    return q


# As many as are asked for, by each function's own word.
def asked_for(q, n):
    for _ in range(n):
        counts = jnp.bincount(q, length=3)
        q = q[counts] + q[jnp.where(q > 0, size=3)] + q[jnp.unique(q, size=3)]
    return q


print(chosen(jnp.ones(3), 9), asked_for(jnp.arange(3), 9))
