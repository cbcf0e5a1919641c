"""Functions that keep what they return, and items that a number of the loop picks."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

RATES = [0.1, 0.05, 0.2]


@functools.cache
def mask(size):
    return jnp.tril(jnp.ones((size, size)))


@functools.lru_cache(maxsize=None)
def halved(number):
    return 0.1 / 2**number


@functools.cache
def ramp(size):
    return np.arange(size) / size


def item_of(number):
    return RATES[number % 3]


def loss_of(w, x):
    return jnp.mean((x @ w) ** 2)


def loss_of_masked(w, x):
    return jnp.mean((x @ (w * mask(3))) ** 2)


def loss_of_ramp(w, x):
    return jnp.mean((x @ (w * ramp(3))) ** 2)


# A trace would leave its tracers in the memo.
def train_masked(w, x):
    for _ in range(100):
        w = w - 0.1 * jax.grad(loss_of_masked)(w, x)  # want: unjitted-update (no fix)
    return w


# What is hashed has to be known.
def train_halved(w, x):
    for number in range(20):
        w = w - halved(number % 3) * jax.grad(loss_of)(w, x)  # want: unjitted-update (no fix)
    return w


def train_items(w, x):
    for number in range(100):
        w = w - RATES[number % 3] * jax.grad(loss_of)(w, x)  # want: unjitted-update (no fix)
    return w


def train_items_of(w, x):
    for number in range(100):
        w = w - item_of(number) * jax.grad(loss_of)(w, x)  # want: unjitted-update (no fix)
    return w


# Arrays of NumPy that are kept are constants.
def train_ramp(w, x):
    for _ in range(100):
        w = w - 0.1 * jax.grad(loss_of_ramp)(w, x)  # want: unjitted-update
    return w


if __name__ == "__main__":
    start, data = jnp.ones((3, 3)), jnp.ones((2, 3))
    print(train_masked(start, data), train_halved(start, data), train_items(start, data))
    print(train_items_of(start, data), train_ramp(start, data), mask(3))
