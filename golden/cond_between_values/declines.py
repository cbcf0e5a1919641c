"""Choices between values where both cannot be computed with the same results, or the same gradients."""

import jax
import jax.numpy as jnp
from jax import lax


@jax.grad
def root(x):
    return lax.cond(x > 0, lambda x: x**0.5, lambda x: x, x)  # want: cond-between-values (no fix): make the gradient NaN


@jax.grad
def quotient(x):
    return lax.cond(x > 0, lambda x: 1 / x, lambda x: x, x)  # want: cond-between-values (no fix): make the gradient NaN


@jax.grad
def third(x):
    return lax.cond(x > 0, lambda x: x / 3, lambda x: x, x)  # want: cond-between-values (no fix): compiled as a product


def product(x, y):
    def loss(x, y):
        return lax.cond(y < 1, lambda: x * y, lambda: x + y)  # want: cond-between-values (no fix): multiplies arrays

    return jax.grad(loss)(x, y)


def average(x, y, rate=0.5):
    def loss(x, y):
        return lax.cond(y < 1, lambda: x * 0.5 + (y - 3.0) + 1.0, lambda: x + y)  # want: cond-between-values (no fix): rounds more than once

    return jax.grad(loss)(x, y)


@jax.grad
def weak(x):
    return lax.cond(x > 0, lambda x: x, lambda x: 0.0, x)  # want: cond-between-values (no fix): same shape and type


def unlike(x, y):
    def loss(x, y):
        return lax.cond(True, lambda: x - 1, lambda: y - 1)  # want: cond-between-values (no fix): same shape and type

    return jax.grad(loss)(x, y)


def pytree(params, x):
    def loss(x, params):
        lax.cond(x > 0, lambda params: params, lambda params: params, params)  # want: cond-between-values (no fix): `params` may be a pytree
        return x

    return jax.grad(loss)(x, params)


def minus_zero(x, y):
    def loss(x, y):
        return lax.cond(  # want: cond-between-values (no fix): the gradient of `x` would be -0.0
            x > 0, lambda: jnp.maximum(-x, y), lambda: jnp.where(x > 0, y, y) + jnp.zeros_like(x)
        )

    return jax.grad(loss)(x, y)


@jax.grad
def tenth(x):
    return lax.cond(x > 0, lambda x: x * 0.1, lambda x: x, x)  # want: cond-between-values (no fix): `0.1` is not bfloat16


@jax.grad
def unknown_factor(x, rate):
    return lax.cond(x > 0, lambda x: x * rate, lambda x: x - rate, x)  # want: cond-between-values (no fix): multiplies arrays


@jax.grad
def twice_computed(x):
    return 1.0 + lax.cond(x > 0, lambda s: s + 1, lambda s: s - 1, jnp.sin(x))  # want: cond-between-values (no fix): computed more than once


@jax.grad
def comparisons(x):
    lax.cond(x > 0, lambda x: x > 1, lambda x: x < 1, x)  # want: cond-between-values (no fix): a comparison of weakly typed
    return x


@jax.grad
def long(x):
    return lax.cond(  # want: cond-between-values (no fix): 10 operations
        x > 0,
        lambda x: jnp.abs(jnp.sign(jnp.abs(jnp.sign(jnp.abs(jnp.sign(jnp.abs(jnp.sign(jnp.abs(-x))))))))),
        lambda x: jnp.abs(x),
        x,
    )
