"""Names of static or donated arguments that the function does not have."""

import functools
from functools import partial

import jax

kept = functools.lru_cache


@functools.partial(jax.jit, static_argnames=("model", "distribution"))  # want: removed-api
def sample(key, model, temperature=1.0):
    return model(key) * temperature


@jax.jit(static_argnames="width")  # want: removed-api
def scaled(x):
    return 2 * x


@partial(jax.jit, static_argnames=("width", "depth"), donate_argnames=["x", "y"])  # want: removed-api
def wide(x, *, width, depth):
    return x[:width] * depth


@partial(jax.jit, static_argnames=("anything",))
def free(x, **options):
    return x


@partial(jax.jit, static_argnames=("n",))
@kept
def wrapped(x):
    return x


NAMES = ("n",)
by_name = jax.jit(lambda x, n: x * n, static_argnames=NAMES)
by_call = jax.jit(lambda x, n: x * n, static_argnames=("n", "m"))  # want: removed-api
bound = partial(jax.jit, static_argnames=("m", "n"))(lambda x, n: x * n)  # want: removed-api
unbound = partial(jax.jit, static_argnames=("m",))
of_kept = jax.jit(wrapped, static_argnames=("m",))
