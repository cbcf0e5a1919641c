"""Caches that are cleared where programs would not be used again, or at times alone."""

import jax
import jax.numpy as jnp


@jax.jit
def update(params, batch):
    return params - 0.1 * jnp.tanh(params - batch)


def fit(width):
    params = jnp.zeros(width)
    for batch in jnp.linspace(0.0, 1.0, 100):
        params = update(params, batch)
    return params.sum()


def over_widths():
    for width in (8, 64, 512):
        print(fit(width))
        jax.clear_caches()


def over_widths_of_one_call():
    for width in (8, 64, 512):
        print(update(jnp.zeros(width), 1.0))
        jax.clear_caches()


def at_times(params, batches):
    for number, batch in enumerate(batches):
        params = update(params, batch)
        if number % 100 == 0:
            jax.clear_caches()
    return params


def eagerly(params, batches):
    for batch in batches:
        params = params - batch
        jax.clear_caches()
    return params


def once(params, batches):
    for batch in batches:
        params = update(params, batch)
    jax.clear_caches()
    return params


class Cache:
    def clear_caches(self):
        return None


def of_another(cache, params, batches):
    for batch in batches:
        params = update(params, batch)
        cache.clear_caches()
    return params
