"""Choices that do not compile again, that moving their branches cures, or that are not between values."""

import functools

import jax
import jax.numpy as jnp
from jax import lax


def half(x):
    return x * 0.5


def less(x):
    return x - 1.0


def module_functions(x):
    return lax.cond(x > 0, half, less, x)


def forward_slope(x):
    return jax.jvp(module_functions, (x,), (x,))


@jax.jit
def jitted(x, y):
    return lax.cond(x > 0, lambda: x + y, lambda: x - y)


def in_a_scan(xs):
    def body(total, x):
        return lax.cond(x > 0, lambda: total + x, lambda: total - x), None

    return lax.scan(body, 0.0, xs)


def moved(x):
    return lax.cond(x > 0, lambda x: x * 0.5, lambda x: x - 1.0, x)


def lifted(x, y):
    y = jnp.asarray(y)
    return lax.cond(x > 0, lambda x: x + y, lambda x: x - y, x)


def mapped(xs):
    def one(x):
        return lax.cond(x > 0, lambda: x + 1.0, lambda: x - 1.0)

    return jax.vmap(one)(xs)


def no_values(x, update):
    def loss(x):
        return lax.cond(x > 0, lambda x: update(x), lambda x: x, x)

    return jax.grad(loss)(x)


def costly(x, matrix):
    def loss(x):
        return lax.cond(x[0] > 0, lambda x: matrix @ x, lambda x: x, x)

    return jax.grad(loss)(x)


def several_statements(x):
    def loss(x):
        def up(x):
            y = x + 1
            return y

        def down(x):
            print(x)
            return x

        return lax.cond(x > 0, up, down, x)

    return jax.grad(loss)(x)


def starred(x, *operands):
    def loss(x):
        return lax.cond(x > 0, lambda x: x, lambda x: -x, *operands)

    return jax.grad(loss)(x)


@functools.cache
def made_once():
    def choose(x):
        return lax.cond(x > 0, half, less, x)

    return choose


def own_cond(x, cond):
    return jax.grad(lambda x: cond(x > 0, lambda x: x * 0.5, lambda x: x, x))(x)
