"""Scans that store no more than they have to, or run eagerly."""
# asked: --goal memory

from functools import partial

import jax
import jax.numpy as jnp


@jax.jit
def checkpointed(h, xs):
    @jax.checkpoint
    def body(h, x):
        return jnp.sin(h) * x, None

    return jax.lax.scan(body, h, xs)


@jax.jit
def by_partial(h, xs):
    @partial(jax.remat, policy=jax.checkpoint_policies.dots_saveable)
    def body(h, x):
        return jnp.sin(h) * x, None

    return jax.lax.scan(body, h, xs)


@jax.jit
def at_the_call(h, xs):
    def body(h, x):
        return jnp.sin(h) * x, None

    return jax.lax.scan(jax.checkpoint(body, prevent_cse=False), h, xs)


@jax.jit
def by_a_name(h, xs):
    def body(h, x):
        return jnp.sin(h) * x, None

    again = jax.remat(body)
    return jax.lax.scan(again, h, xs)


@jax.jit
def counting(h, xs):
    @jax.checkpoint
    def body(i, h):
        return jnp.sin(h) * xs[i]

    return jax.lax.fori_loop(0, 5, body, h)


def add(h, x):
    return h + x, None


total, _ = jax.lax.scan(add, jnp.zeros(()), jnp.ones(5))
print(total)
