"""The older form of `cond`, an operand for each branch, wraps both branches in new functions."""

import functools

import jax.numpy as jnp
from jax import lax


def smooth(v):
    return jnp.cumsum(v)


def rough(v):
    return jnp.diff(v, prepend=0.0)


def branches_of_the_module(x, y):
    return lax.cond(x.sum() > 0, x, smooth, y, rough)  # want: local-loop-function


def branches_of_the_caller(x, y, k):
    def scaled(v):
        return jnp.cumsum(v * k)

    return lax.cond(x.sum() > 0, x, scaled, y, lambda v: jnp.cumsum(v))  # want: local-loop-function


def branches_by_name(x, y):
    return lax.cond(  # want: local-loop-function
        x.sum() > 0, true_operand=x, true_fun=smooth, false_operand=y, false_fun=rough
    )


def the_last_one_by_name(x, y):
    return lax.cond(x.sum() > 0, x, smooth, y, false_fun=rough)  # want: local-loop-function


def partial_branches(x, y):
    diff = functools.partial(jnp.diff, prepend=0.0)
    return lax.cond(x.sum() > 0, x, smooth, y, diff)  # want: local-loop-function


def two_operands(x, y):
    return lax.cond(x.sum() > 0, lambda a, b: jnp.cumsum(a), lambda a, b: jnp.cumsum(b), x, y)  # want: local-loop-function


def two_operands_of_which_one_is_lifted(x, y, k):
    return lax.cond(x.sum() > 0, lambda a, b: jnp.cumsum(a * k), lambda a, b: jnp.cumsum(b), x, y)  # want: local-loop-function
