"""Jits that take nothing from their caller: they move as they stand."""

import functools

import jax
import jax.numpy as jnp

RATE = 0.5


_double_jitted = jax.jit(lambda v: v * 2)


def double(x):
    return _double_jitted(x)


# Made again for every call.
@jax.jit
def _halve_half(v):
    """Halves the value."""
    return v * RATE  # a module constant


def halve(x):
    return _halve_half(x) + _halve_half(x + 1)


@functools.partial(jax.jit, static_argnums=1)
def _grow_grown(v, n):
    return jnp.concatenate([v] * n)


def grow(x, times):
    return _grow_grown(x, times)


def loss(params, batch):
    return jnp.mean((params - batch) ** 2)


_train_gradient = jax.jit(jax.grad(loss))


def train(params, batches):
    for batch in batches:
        params = params - RATE * _train_gradient(params, batch)
    return params


_predict_vmap_jitted = jax.jit(jax.vmap(lambda v: v + 1))


class Model:
    def predict(self, xs):
        return [_predict_vmap_jitted(x) for x in xs]

    def scale(self, x):
        return _scale_scaled(x)


def scaled(factor, x):
    return factor * x


_scale_scaled = jax.jit(functools.partial(scaled, 2.0))


_filtered_step = jax.jit(
    lambda v: jnp.where(
        v > 0,
        v,
        0.0,  # nothing below
    ),
    donate_argnums=0,
)


def filtered(x):
    step = _filtered_step
    for _ in range(3):
        x = step(x)
    return x


@functools.partial(jax.jit, static_argnames="fn")
def apply(x, fn):
    return fn(x)


def _squared_function(v):
    return v * v


def squared(x):
    return apply(x, fn=_squared_function)


def _cubed_cube(v):
    return v * v * v


def cubed(x):
    return apply(x, fn=_cubed_cube)


_jitted = jax.jit(lambda v: v * 3)
for step in range(30):
    print(_jitted(jnp.ones(2)))
