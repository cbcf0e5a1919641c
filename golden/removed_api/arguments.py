"""Arguments by names that are gone, and by positions that have to be named."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.numpy import clip

unit = partial(jnp.clip, a_min=0.0, a_max=1.0)  # want: removed-api


def clipped(x, low, high):
    x = jnp.clip(x, a_max=high, a_min=low)  # want: removed-api
    x = jnp.clip(a=x, a_min=low)  # want: removed-api
    x = clip(
        x,
        a_min=(  # the least  # want: removed-api
            low
        ),
    )
    return jnp.reshape(x, newshape=(-1,)), jnp.quantile(x, 0.5, interpolation="nearest")  # want: removed-api  # want: removed-api


def product(a, b):
    return lax.dot(a, b, lax.Precision.HIGHEST), jnp.array(a, None, False)  # want: removed-api  # want: removed-api


def called_back(function, shape, x):
    return jax.pure_callback(function, shape, x, vectorized=True)  # want: removed-api
