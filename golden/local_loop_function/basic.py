"""Functions that take nothing from their caller: they move as they stand."""

import jax
import jax.numpy as jnp
from jax import lax

RATE = 0.5


def halve(x):
    # One step.
    def body(i, value):
        """Halves the value."""
        return value * RATE  # a module constant

    return lax.fori_loop(0, 3, body, x)  # want: local-loop-function


def absolute(x):
    return lax.cond(x.sum() > 0, lambda v: v, lambda v: -v, x)  # want: local-loop-function


class Root:
    def solve(self, x):
        def cond(state):
            return state[1] < 5

        def body(state):
            guess, count = state
            return 0.5 * (guess + 2.0 / guess), count + 1

        return lax.while_loop(cond, body, (x, 0))  # want: local-loop-function


def pick(index, x):
    return lax.switch(  # want: local-loop-function
        index,
        [
            lambda v: v,  # as it is
            lambda v: jnp.square(v),
        ],
        x,
    )


def countdown(x):
    def body(i, value):
        return body_of(i) + value

    return jax.lax.fori_loop(0, 3, body, x)  # want: local-loop-function


def body_of(i):
    return i * 2


for step in range(30):
    lax.fori_loop(0, 3, lambda i, v: v + i, jnp.ones(2))  # want: local-loop-function
