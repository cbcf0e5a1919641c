"""Arrays of which no loop compiles each length."""

import jax
import jax.numpy as jnp
import numpy as np


# It does not grow: the other order, another variable, no loop, NumPy.
def in_front(values):
    found = jnp.array([])
    for value in values:
        found = jnp.concatenate([jnp.ravel(value), found])
    return found


def padded(rows):
    padded = None
    for row in rows:
        padded = jnp.append(row, 0.0)
        print(padded.sum())
    return padded


def once(a, b):
    a = jnp.append(a, b)
    return a


def of_numpy(values):
    found = np.array([])
    for value in values:
        found = np.append(found, value)
    return found


# A few rounds, or one program for all of them.
def halves(x):
    for part in (x / 2, x / 3):
        x = jnp.append(x, part)
    return x


@jax.jit
def traced(x):
    for i in range(8):
        x = jnp.append(x, i)
    return x


# A list is what the cure would be.
def collected(values):
    parts = []
    for value in values:
        parts.append(jnp.sin(value))
    return jnp.stack(parts)


# Axes that are computed, and `axis=None` of what joins.
def computed(rows, axis):
    found = jnp.zeros((0, 3))
    for row in rows:
        found = jnp.concatenate([found, row], axis=axis)
    return found


def flattened(rows):
    found = jnp.zeros(0)
    for row in rows:
        found = jnp.concatenate([found, row], axis=None)
    return found


# The iteration binds it to something else too, which may be of any length.
def rebound_in_the_round(layers, ups, x):
    for up, layer in zip(ups, layers):
        x = up(x)
        x = jnp.concatenate([x, x])
        x = layer(x)
    return x


def a_window(rows, new):
    while new.size:
        rows = jnp.concatenate([rows, new])
        rows = rows[-8:]
        new = read()
    return rows
