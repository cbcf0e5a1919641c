"""Arguments by names that are gone, and by positions that have to be named."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.numpy import clip

unit = partial(jnp.clip, min=0.0, max=1.0)


def clipped(x, low, high):
    x = jnp.clip(x, max=high, min=low)
    x = jnp.clip(x, min=low)
    x = clip(
        x,
        min=(  # the least
            low
        ),
    )
    return jnp.reshape(x, shape=(-1,)), jnp.quantile(x, 0.5, method="nearest")


def product(a, b):
    return lax.dot(a, b, precision=lax.Precision.HIGHEST), jnp.array(a, None, copy=False)


def called_back(function, shape, x):
    return jax.pure_callback(function, shape, x, vmap_method="legacy_vectorized")
