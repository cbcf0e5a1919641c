"""Arrays taken from the caller become part of the carry, or operands."""

import jax.numpy as jnp
from jax import lax


def decay(x, rate):
    def body(i, value):
        return value * rate

    return lax.fori_loop(0, 10, body, x)  # want: local-loop-function


def filtered(init, xs, gain, bias):
    def body(state, x):
        state = gain * state + bias * x
        return state, state

    final, states = lax.scan(body, init, xs)  # want: local-loop-function
    return final, states


def smoothed(init, xs, gain):
    def body(state, x):
        if gain.ndim == 1:
            return (state + x), x
        return gain * state + x, state

    return lax.scan(body, init, xs=xs)  # want: local-loop-function


def last(init, xs, gain):
    return lax.scan(lambda s, x: (gain * s + x, None), init, xs)[0]  # want: local-loop-function


def outputs(init, xs, gain):
    return lax.scan(lambda s, x: (gain * s + x, s), init, xs)[1]  # want: local-loop-function


def newton(x, target, tolerance):
    return lax.while_loop(  # want: local-loop-function
        lambda v: jnp.abs(v * v - target) > tolerance,
        lambda v: 0.5 * (v + target / v),
        x,
    )


def count_up(x, step):
    def going(state):
        return state[0] < 3

    def body(state):
        i, value = state
        return i + 1, value + step

    return lax.while_loop(going, body, (0, x))  # want: local-loop-function


def clipped(x, low, high):
    return lax.cond(x.sum() > 0, lambda v: jnp.minimum(v, high), lambda v: jnp.maximum(v, low), x)  # want: local-loop-function


def late(x):
    scale = 1.0

    def body(i, value):
        return value * scale

    scale = 2.0
    return lax.fori_loop(0, 1, body, x)  # want: local-loop-function
