"""Scans under a trace, each with its body in another form."""
# asked: --goal memory

import jax
import jax.numpy as jnp
from jax import lax


def cell(carry, x):
    carry = jnp.tanh(carry + x)
    return carry, carry


@jax.jit
def of_the_module(h, xs):
    h, ys = lax.scan(cell, h, xs)  # want: remat-scan
    return jnp.sum(h) + jnp.sum(ys)


@jax.jit
def of_a_lambda(h, xs):
    return lax.scan(lambda h, x: (jnp.sin(h * x), None), h, xs)[0]  # want: remat-scan


@jax.jit
def by_keywords(h, xs):
    def body(h, x):
        return jnp.cos(h) * x, h

    return lax.scan(  # want: remat-scan
        body,  # one layer
        init=h,
        xs=xs,
        reverse=True,
    )


@jax.jit
def of_counts(h, xs):
    def body(i, h):
        return jnp.tanh(h + xs[i])

    return lax.fori_loop(0, xs.shape[0], body, h)  # want: remat-scan


@jax.jit
def of_rows(h, xs):
    return lax.map(lambda x: jnp.sin(h * x), xs)  # want: remat-scan
