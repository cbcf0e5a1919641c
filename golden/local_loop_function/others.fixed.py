"""Loops that other code runs: of a base class elsewhere, or under a trace. A run tells whether one is ever eager."""

import jax
import jax.numpy as jnp
from elsewhere import Environment


class Stock(Environment):
    """Its base calls `move`, under a `jit` of its own."""

    def move(self, state, action):
        return self._issued(state, action).sum()

    def _issued(self, state, action):
        return jax.lax.scan(lambda left, x: (left - x, left), action, state)[1]


class Kept(Stock):
    def reset(self, key):
        return jax.lax.cond(key.sum() > 0, lambda: jnp.ones(3), lambda: jnp.zeros(3))


# Public, and under a trace here.
def decayed(rows):
    return jax.lax.scan(lambda sum_, row: (0.9 * sum_ + row, sum_), 0.0, rows)[1]


@jax.jit
def total(rows):
    return decayed(rows).sum()


def _summed_body(sum_, row):
    return (sum_ + row, sum_)


# Public, and nothing says who calls it.
def summed(rows):
    return jax.lax.scan(_summed_body, 0.0, rows)[0]


def _weighed_body(sum_, row):
    return (0.5 * sum_ + row, sum_)


# In a loop that nothing traces, beside a trace.
def weighed(rows):
    return jax.lax.scan(_weighed_body, 0.0, rows)[0]


@jax.jit
def step(rows):
    return weighed(rows) + 1.0


def report(batches):
    for rows in batches:
        print(step(rows), weighed(rows))
