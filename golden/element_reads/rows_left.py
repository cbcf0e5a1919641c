"""Rows that NumPy would make something else of: arithmetic, keys, donated ones, functions that ask for more."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp


@jax.jit
def step(params, row):
    return params + row


@functools.partial(jax.jit, donate_argnums=1)
def taking(params, row):
    return params + row


@functools.partial(jax.jit, static_argnums=2)
def powered(params, row, n):
    return params + row**n


@eqx.filter_jit
def filtered(params, row):
    return params + row


@jax.jit
def draw(key):
    return jax.random.normal(key, (3,))


def added(params, rows):
    for row in jnp.sin(rows):
        params = step(params, row) + row  # arithmetic has other types
    for row in jnp.sin(rows):
        params = taking(params, row)  # a copy is not passed on
    for row in jnp.sin(rows):
        params = powered(params, row, 2)
    for row in jnp.sin(rows):
        params = filtered(params, row)  # which takes NumPy arrays for constants
    return params


def drawn(key):
    return [draw(each) for each in jax.random.split(key, 200)]  # keys are not NumPy arrays


def kept(params, rows):
    found = []
    for row in jnp.sin(rows):
        found.append(row)  # somebody may do anything with it
        params = step(params, row)
    return params, found


@jax.jit
def unrolled(params, rows):
    for row in jnp.sin(rows):
        params = step(params, row)
    return params


def weak(params):
    for value in jnp.broadcast_to(0.5, (200,)):  # which yields to the type of what it meets
        params = step(params, value)
    return params


def few(params, rows):
    for row in jnp.sin(rows)[:3]:
        params = step(params, row)
    return params


if __name__ == "__main__":
    rows = jnp.ones((200, 3))
    print(added(jnp.ones(3), rows), drawn(jax.random.key(0))[0], kept(jnp.ones(3), rows)[0])
    print(unrolled(jnp.ones(3), rows[:4]), few(jnp.ones(3), rows), weak(jnp.ones(3, jnp.bfloat16)))
