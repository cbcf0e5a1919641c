"""Places where a run saw something else, or nothing that repeats, and look-alikes that compile once."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

step = jax.jit(lambda x, mode: x, static_argnums=1)


def train(x):
    for mode in ("warm", "cold", "warmer"):
        x = step(x, mode)
    for flag in (True, False):
        x = step(x, flag)
    return step(x, 3), step(x, 4)


@jax.jit
def plain(x, n):
    return x * n


@nnx.jit
def of_flax(x, n):
    return x * n


@eqx.filter_jit
def filtered(x, n):
    return x * n


@functools.partial(jax.jit, static_argnums=1)
def static(x, n):
    return x * n


def arguments_that_are_traced(x):
    for n in range(10):
        x = plain(x, n)
        x = of_flax(x, n)
        x = filtered(x, jnp.asarray(n))
        x = filtered(x, np.int32(n))
        x = jax.vmap(lambda v, k: v * k, in_axes=(0, None))(x, n)
        x = x * n
    return x


def numbers_that_stay(x, size):
    width = 8
    for _ in range(10):
        x = filtered(x, 3)
        x = static(x, width)
        x = static(x, size)
        x = filtered(x, width * 2.0)
    return x


def few_values(x):
    for n in range(10):
        x = filtered(x, n % 2)
        x = filtered(x, n > 5)
        x = static(x, min(n, 3))
    for n in (8, 16, 32):
        x = static(x, n)
    return x


def arrays_that_count(x):
    n = jnp.asarray(0)
    for _ in range(10):
        n = n + 1
        x = filtered(x, n)
    return x


def what_stands_beside_a_counter(x, batches, steps):
    for _, batch in zip(range(10), batches):
        x = filtered(x, batch)
    for step, _ in zip(steps, range(10)):
        x = filtered(x, step)
    for step, _ in zip(*batches):
        x = filtered(x, step)
    return x


@jax.jit
def under_jit(x):
    for n in range(3):
        x = static(x, n)
    return x


def of_another_loop(x):
    for n in range(10):
        print(n)
    return filtered(x, n)
