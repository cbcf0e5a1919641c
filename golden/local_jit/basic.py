"""Jits that take nothing from their caller: they move as they stand."""

import functools

import jax
import jax.numpy as jnp

RATE = 0.5


def double(x):
    return jax.jit(lambda v: v * 2)(x)  # want: local-jit


def halve(x):
    # Made again for every call.
    @jax.jit  # want: local-jit
    def half(v):
        """Halves the value."""
        return v * RATE  # a module constant

    return half(x) + half(x + 1)


def grow(x, times):
    @functools.partial(jax.jit, static_argnums=1)  # want: local-jit
    def grown(v, n):
        return jnp.concatenate([v] * n)

    return grown(x, times)


def loss(params, batch):
    return jnp.mean((params - batch) ** 2)


def train(params, batches):
    for batch in batches:
        gradient = jax.jit(jax.grad(loss))  # want: local-jit
        params = params - RATE * gradient(params, batch)
    return params


class Model:
    def predict(self, xs):
        return [jax.jit(jax.vmap(lambda v: v + 1))(x) for x in xs]  # want: local-jit

    def scale(self, x):
        return jax.jit(functools.partial(scaled, 2.0))(x)  # want: local-jit


def scaled(factor, x):
    return factor * x


def filtered(x):
    step = jax.jit(  # want: local-jit
        lambda v: jnp.where(
            v > 0,
            v,
            0.0,  # nothing below
        ),
        donate_argnums=0,
    )
    for _ in range(3):
        x = step(x)
    return x


@functools.partial(jax.jit, static_argnames="fn")
def apply(x, fn):
    return fn(x)


def squared(x):
    return apply(x, fn=lambda v: v * v)  # want: local-jit


def cubed(x):
    def cube(v):
        return v * v * v

    return apply(x, fn=cube)  # want: local-jit


for step in range(30):
    print(jax.jit(lambda v: v * 3)(jnp.ones(2)))  # want: local-jit
