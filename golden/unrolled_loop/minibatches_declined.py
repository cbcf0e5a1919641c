"""Slices whose bounds are Python numbers in more than one way."""

import jax
import jax.numpy as jnp
import numpy as np

table = np.linspace(0.0, 1.0, 512)


@jax.jit
def windows(w, x: jax.Array):
    for start in range(0, 512, 16):  # want: unrolled-loop (no fix): as a Python number
        w = w + jnp.mean(x[start : start + 32])
    return w


@jax.jit
def of_the_host(w):
    for start in range(0, 512, 16):  # want: unrolled-loop (no fix): as a Python number
        w = w + jnp.mean(table[start : start + 16])
    return w


@jax.jit
def weighted(w, x: jax.Array):
    for start in range(0, 512, 16):  # want: unrolled-loop (no fix): as a Python number
        end = start + 16
        w = w + jnp.mean(x[start:end]) * (end / 512)
    return w


@jax.jit
def a_shorter_last_one(w, x: jax.Array):
    for start in range(0, 1000, 30):  # want: unrolled-loop (no fix): as a Python number
        w = w + jnp.mean(x[start : start + 30])
    return w


@jax.jit
def from_the_second(w, x: jax.Array):
    for start in range(16, 560, 16):  # want: unrolled-loop (no fix): as a Python number
        w = w + jnp.mean(x[start : start + 16])
    return w
