"""Powers that cost nothing, or of which nothing is known."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from optax import safe_increment


class State(NamedTuple):
    count: jax.Array
    epoch: int


def init(params):
    return State(count=jnp.zeros([], jnp.int32), epoch=0)


@jax.jit
def jitted_update(state: State, decay=0.9):
    return 1 - decay ** safe_increment(state.count)


def literal_exponents(x, decay=0.9):
    return x**2 + decay**3 + decay**-1


def python_exponents(decay=0.9):
    return [decay**i for i in range(10)] + [decay ** len("abc")]


def python_counter(state: State, decay=0.9):
    return decay**state.epoch


def float_exponent(state: State, decay=0.9):
    return decay ** (state.count * 1.0) + decay ** (state.count / 2) + decay ** state.count.astype(float)


def unknown_exponent(count, decay=0.9):
    return decay**count


def vector_exponent(state: State, decay=0.9):
    return decay ** (jnp.arange(3) + state.count)


def numpy_exponent(decay=0.9):
    total = 0.0
    for step in np.arange(10):
        total += decay**step
    return total


def dynamic_power(state: State):
    return lax.pow(jnp.float32(0.9), state.count) + jnp.float_power(0.9, state.count)


def constant_exponent(decay=0.9):
    degree = jnp.asarray(3)
    return decay**degree


def in_a_scan(xs, decay=0.9):
    def body(state, x):
        return State(state.count + 1, 0), x / (1 - decay ** (state.count + 1))

    return lax.scan(body, State(jnp.zeros([], jnp.int32), 0), xs)


def unpacked(**options):
    return dict(**options)


def rebound(decay=0.9):
    count = jnp.asarray(0)
    count = 0.5
    return decay**count
