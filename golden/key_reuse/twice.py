"""Keys that are used twice, in one line each."""

import jax
import jax.numpy as jnp


def twice_in_one_call(key):
    return jnp.add(jax.random.normal(key), jax.random.uniform(key))  # want: key-reuse (no fix): uses it first


def twice_through_a_tuple(key):
    a, b = jax.random.normal(key), jax.random.uniform(key)  # want: key-reuse (no fix): uses it first
    return a + b


def twice_in_a_loop(key, n):
    return [jax.random.normal(key) for _ in range(n)]  # want: key-reuse (no fix): in each iteration
