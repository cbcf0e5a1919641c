"""The name of the helper is taken."""

from jax import lax
from jaxfix_helpers import retrace as retrace_2


def taken_name(x, fn):
    retrace = 2
    return retrace_2(lax.cond)(x.sum() > 0, lambda v: fn(v), lambda v: v * retrace, x)


def elsewhere(x, fn):
    return retrace_2(lax.fori_loop)(0, 3, lambda i, v: fn(v), x)
