"""Names of static or donated arguments that the function does not have."""

import functools
from functools import partial

import jax

kept = functools.lru_cache


@functools.partial(jax.jit, static_argnames=("model",))
def sample(key, model, temperature=1.0):
    return model(key) * temperature


@jax.jit(static_argnames=())
def scaled(x):
    return 2 * x


@partial(jax.jit, static_argnames=("width", "depth"), donate_argnames=("x",))
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
by_call = jax.jit(lambda x, n: x * n, static_argnames=("n",))
bound = partial(jax.jit, static_argnames=("n",))(lambda x, n: x * n)
unbound = partial(jax.jit, static_argnames=("m",))
of_kept = jax.jit(wrapped, static_argnames=("m",))
