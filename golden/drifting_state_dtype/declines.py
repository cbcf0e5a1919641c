"""States that may change their dtypes, where a cast has no place."""

import jax
import jax.numpy as jnp
from jax import lax


def bound_twice(f, x):
    def body(state):
        state = (state[0], f(state[0]))
        if x is not None:
            state = (state[0] - 1, state[1])
        return state

    return lax.while_loop(lambda s: s[1] > 0, body, (x, jnp.ones(())))  # want: drifting-state-dtype (no fix): in more than one way


def bound_in_a_block(f, x):
    def body(i, state):
        if x is None:
            state = 2.0
        return f(x) * i

    return lax.fori_loop(0, 3, body, jnp.ones(()))  # want: drifting-state-dtype (no fix): is rebound in `body`


def called_too(f, x):
    def body(i, best):
        return f(x) * i

    first = body(0, x)
    return first, lax.fori_loop(0, 3, body, jnp.ones(()))  # want: drifting-state-dtype (no fix): is called elsewhere


def used_too(f, x):
    def body(best, y):
        return f(x), y

    gradient = jax.vmap(body)
    return gradient, lax.scan(body, jnp.ones(()), x)  # want: drifting-state-dtype (no fix): is used elsewhere too


def deleted(f, x):
    def body(i, best):
        del best
        return f(x) * i

    return lax.fori_loop(0, 3, body, jnp.ones(()))  # want: drifting-state-dtype (no fix): is rebound in `body`


def two_ways(f, x):
    def shrunk(best):
        weighed = best = f(x)
        return weighed

    return lax.cond(x.sum() > 1, shrunk, lambda best: best, 1.0)  # want: drifting-state-dtype (no fix): rebound


def smoothed(gradients):
    """Half precision at first, single precision as soon as a mean of single precision is added."""
    mean = jnp.zeros(3)

    def body(average, gradient):
        average = 0.9 * average + 0.1 * mean
        return average, gradient

    start = jnp.zeros(3, jnp.bfloat16)
    return lax.scan(body, start, gradients)  # want: drifting-state-dtype (no fix): round


@jax.jit
def smooth(average, gradient, rate):
    return rate * average + jnp.ones(3) * gradient


def by_what_is_passed(gradients, rate):
    average = jnp.zeros(3, jnp.bfloat16)  # want: drifting-state-dtype (no fix): depends on what is passed
    for gradient in gradients:
        average = smooth(average, gradient, rate)
    return average


@jax.jit
def add(total):
    return total + jnp.ones(3, jnp.float32)


def by_a_scalar_type(steps):
    total = jnp.bfloat16(0)  # want: drifting-state-dtype (no fix): is not spelled out
    for _ in range(steps):
        total = add(total)
    return total
