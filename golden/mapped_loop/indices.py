"""Numbers of a list, by which each element indexes an array: all elements are computed together."""

import random

import jax
import jax.numpy as jnp

SIZE = 16
TABLE = jnp.full((16, 2), 0.5)


def one_hot(state, size=SIZE):
    return jnp.zeros(size).at[state].set(1.0)


def looked_up(state):
    return jnp.sin(TABLE[state]) + 1.0


def batch_of(memory, size):
    states, actions = zip(*random.sample(memory, size))
    hot = jnp.array([one_hot(state) for state in states])  # want: mapped-loop
    return hot, jnp.stack([looked_up(state) for state in states]), jnp.array(actions)  # want: mapped-loop


def scaled(state):
    return jnp.zeros(SIZE).at[state].set(0.1 * state)


def rows_of(states):
    return jnp.stack([scaled(state) for state in states])  # Python multiplies in double precision


def keyed(tables, names):
    return jnp.stack([jnp.sin(tables[name]) for name in names])  # of a dictionary


def widened(sizes):
    return jnp.stack([jnp.zeros(size).sum() for size in sizes])


memory = [(state % SIZE, state % 4) for state in range(64)]
total = 0.0
for step in range(20):
    hot, rows, actions = batch_of(memory, 8)
    total += float(hot.sum() + rows.sum() + actions.sum())
    total += float(rows_of([1, 2, 3, 4, 5]).sum() + widened([3, 4, 5, 6]).sum())
    total += float(keyed({"a": jnp.ones(3), "b": jnp.ones(3)}, ["a", "b", "a", "b"]).sum())
print(f"{total:.4f}")
