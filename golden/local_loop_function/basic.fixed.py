"""Functions that take nothing from their caller: they move as they stand."""

import jax
import jax.numpy as jnp
from jax import lax

RATE = 0.5


# One step.
def _halve_body(i, value):
    """Halves the value."""
    return value * RATE  # a module constant


def halve(x):
    return lax.fori_loop(0, 3, _halve_body, x)


def _absolute_true(v):
    return v


def _absolute_false(v):
    return -v


def absolute(x):
    return lax.cond(x.sum() > 0, _absolute_true, _absolute_false, x)


def _solve_cond(state):
    return state[1] < 5


def _solve_body(state):
    guess, count = state
    return 0.5 * (guess + 2.0 / guess), count + 1


class Root:
    def solve(self, x):
        return lax.while_loop(_solve_cond, _solve_body, (x, 0))


def _pick_branch_0(v):
    return v


def _pick_branch_1(v):
    return jnp.square(v)


def pick(index, x):
    return lax.switch(
        index,
        [
            _pick_branch_0,  # as it is
            _pick_branch_1,
        ],
        x,
    )


def _countdown_body(i, value):
    return body_of(i) + value


def countdown(x):
    return jax.lax.fori_loop(0, 3, _countdown_body, x)


def body_of(i):
    return i * 2


def _module_body(i, v):
    return v + i


for step in range(30):
    lax.fori_loop(0, 3, _module_body, jnp.ones(2))
