"""The older form of `cond`, an operand for each branch, wraps both branches in new functions."""

import functools

import jax.numpy as jnp
from jax import lax
from jaxfix_helpers import retrace


def smooth(v):
    return jnp.cumsum(v)


def rough(v):
    return jnp.diff(v, prepend=0.0)


def branches_of_the_module(x, y):
    return retrace(lax.cond)(x.sum() > 0, x, smooth, y, rough)


def branches_of_the_caller(x, y, k):
    def scaled(v):
        return jnp.cumsum(v * k)

    return retrace(lax.cond)(x.sum() > 0, x, scaled, y, lambda v: jnp.cumsum(v))


def branches_by_name(x, y):
    return retrace(lax.cond)(
        x.sum() > 0, true_operand=x, true_fun=smooth, false_operand=y, false_fun=rough
    )


def the_last_one_by_name(x, y):
    return retrace(lax.cond)(x.sum() > 0, x, smooth, y, false_fun=rough)


def partial_branches(x, y):
    diff = functools.partial(jnp.diff, prepend=0.0)
    return retrace(lax.cond)(x.sum() > 0, x, smooth, y, diff)


def _two_operands_true(a, b):
    return jnp.cumsum(a)


def _two_operands_false(a, b):
    return jnp.cumsum(b)


def two_operands(x, y):
    return lax.cond(x.sum() > 0, _two_operands_true, _two_operands_false, x, y)


def _two_operands_of_which_one_is_lifted_true(k, a, b):
    return jnp.cumsum(a * k)


def _two_operands_of_which_one_is_lifted_false(k, a, b):
    return jnp.cumsum(b)


def two_operands_of_which_one_is_lifted(x, y, k):
    return lax.cond(
        x.sum() > 0, _two_operands_of_which_one_is_lifted_true, _two_operands_of_which_one_is_lifted_false, k, x, y
    )
