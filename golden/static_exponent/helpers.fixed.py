"""Powers in functions that get the number and the counter from their callers, and in assignments."""

import jax
import jax.numpy as jnp


def _correction(decay, count):
    return 1 - decay**(count * 1.0)


def _corrected(moment, decay, *, count):
    # A concrete integer exponent is compiled again for every value.
    exponent = count + 1
    if not isinstance(exponent, jax.core.Tracer):
        exponent = exponent * 1.0
    return moment / (1.0 - jnp.power(decay, exponent))


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
    # A concrete integer exponent is compiled again for every value.
    exponent = count
    if not isinstance(exponent, jax.core.Tracer):
        exponent = exponent * 1.0
    base **= exponent
    return base


def update(updates, state, decay=0.9):
    count = state["count"] + jnp.int32(1)
    # A concrete integer exponent is compiled again for every value.
    exponent = count
    if not isinstance(exponent, jax.core.Tracer):
        exponent = exponent * 1.0
    first = jax.tree.map(lambda u: u / (1 - decay**exponent), updates)
    second = jax.tree.map(lambda u: u * decay**exponent, updates)
    if state["count"] > 3:
        second = jax.tree.map(lambda u: u - decay**exponent, second)
    # A concrete integer exponent is compiled again for every value.
    exponent_2 = count - 1
    if not isinstance(exponent_2, jax.core.Tracer):
        exponent_2 = exponent_2 * 1.0
    third = jax.tree.map(lambda u: u * decay ** exponent_2 + jnp.power(0.5, exponent), updates)
    return (first, second, third), {"count": count}


def init(params):
    return {"count": jnp.zeros([], jnp.int32)}
