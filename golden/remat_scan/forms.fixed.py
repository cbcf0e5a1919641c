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
    h, ys = lax.scan(jax.checkpoint(cell, prevent_cse=False), h, xs)
    return jnp.sum(h) + jnp.sum(ys)


@jax.jit
def of_a_lambda(h, xs):
    return lax.scan(
        jax.checkpoint(lambda h, x: (jnp.sin(h * x), None), prevent_cse=False), h, xs
    )[0]


@jax.jit
def by_keywords(h, xs):
    def body(h, x):
        return jnp.cos(h) * x, h

    return lax.scan(
        jax.checkpoint(body, prevent_cse=False),  # one layer
        init=h,
        xs=xs,
        reverse=True,
    )


@jax.jit
def of_counts(h, xs):
    def body(i, h):
        return jnp.tanh(h + xs[i])

    return lax.fori_loop(0, xs.shape[0], jax.checkpoint(body, prevent_cse=False), h)


@jax.jit
def of_rows(h, xs):
    return lax.map(jax.checkpoint(lambda x: jnp.sin(h * x), prevent_cse=False), xs)
