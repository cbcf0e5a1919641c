"""Powers that compile for every count, and whose exponent must stay an integer."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class State(NamedTuple):
    count: jax.Array
    level: jax.Array


def init(params):
    return State(count=jnp.zeros([], jnp.int32), level=jnp.asarray(2.0, jnp.bfloat16))


def update(grads, state):
    doubled = 2 ** state.count  # want: static-exponent (no fix): `2` is an integer
    counted = jnp.int32(3) ** state.count  # want: static-exponent (no fix): is an integer
    halves = jnp.bfloat16(0.5) ** state.count  # want: static-exponent (no fix): rounded to its dtype
    levels = jnp.power(state.level, state.count)  # want: static-exponent (no fix): rounded to its dtype
    hosts = np.float32(0.5) ** state.count  # want: static-exponent (no fix): is an array
    return grads * (doubled + counted + halves + levels + hosts), State(state.count + 1, state.level)


def unknown_dtype(values: jax.Array, state: State):
    return values**state.count  # want: static-exponent (no fix): array of unknown dtype


def decayed(rate, count):
    return rate**count


def sensitivity(state: State, rate: float = 0.5):
    def loss(rate=0.5):
        return rate ** (state.count + 1)  # want: static-exponent (no fix): may be differentiated

    return jax.grad(loss)(rate)


def at_times(updates, state: State, warm, decay=0.9):
    return updates * decay ** jnp.abs(state.count) if warm else updates  # want: static-exponent (no fix): cannot be given a name


def in_a_condition(updates, state: State, decay=0.9):
    while updates < decay**state.count:  # want: static-exponent (no fix): cannot be given a name
        updates = updates * 2
    return updates
