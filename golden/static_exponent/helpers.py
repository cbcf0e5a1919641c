"""Powers in functions that get the number and the counter from their callers, and in assignments."""

import jax
import jax.numpy as jnp


def _correction(decay, count):
    return 1 - decay**count  # want: static-exponent


def _corrected(moment, decay, *, count):
    return moment / (1.0 - jnp.power(decay, count + 1))  # want: static-exponent


def averages(values, decay=0.9):
    count, mean = jnp.zeros([], jnp.int32), 0.0
    for value in values:
        count += 1
        mean = decay * mean + (1 - decay) * value
        yield (mean / _correction(decay, count).astype(value.dtype), _corrected(mean, 0.5, count=count))


def rates(steps, start=0.5):
    count, found = jnp.zeros([], jnp.int32), []
    for _ in range(steps):
        count = count + 1
        found.append(rate(count))
    return found


def rate(count, base=-0.5):
    base **= count  # want: static-exponent
    return base


def update(updates, state, decay=0.9):
    count = state["count"] + jnp.int32(1)
    first = jax.tree.map(lambda u: u / (1 - decay**count), updates)  # want: static-exponent
    second = jax.tree.map(lambda u: u * decay**count, updates)
    if state["count"] > 3:
        second = jax.tree.map(lambda u: u - decay**count, second)
    third = jax.tree.map(lambda u: u * decay ** (count - 1) + jnp.power(0.5, (count)), updates)
    return (first, second, third), {"count": count}


def init(params):
    return {"count": jnp.zeros([], jnp.int32)}
