"""Loops whose last batch is not padded: its rows would meet others. None is dropped, as `i` is read after."""
# asked: --ragged pad

import jax
import jax.numpy as jnp
import numpy as np
from elsewhere import normalised



@jax.jit
def by_hand(w, x, y):
    error = x @ w - y
    return w - 0.1 * (x.T @ error) / 4, jnp.mean(error**2)


def contracted(w, x, y, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): takes `T` of the rows
        w, _ = by_hand(w, x[i : i + size], y[i : i + size])
    return w, i


@jax.jit
def product(w, x, y):
    error = x @ w - y
    return w - 0.1 * error @ x, jnp.mean(error**2)


def summed_in_a_product(w, x, y, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): sums over rows in a product
        w, _ = product(w, x[i : i + size], y[i : i + size])
    return w, i


@jax.jit
def rolled(w, x):
    error = x @ w
    return w - jnp.mean(error - jnp.roll(error, 1)) * 0.1


def neighbours(w, x, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): calls `jnp.roll`, which may mix rows
        w = rolled(w, x[i : i + size])
    return w, i


@jax.jit
def counting(state, x):
    w, seen = state
    return w - 0.1 * jnp.mean(x @ w), seen + x.shape[0]


def counted(state, x, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): takes `shape` of the rows
        state = counting(state, x[i : i + size])
    return state, i


@jax.jit
def noisy(w, x, key):
    noise = jax.random.normal(key, x.shape)
    return w - 0.1 * jnp.mean((x + noise) @ w)


def with_noise(w, x, size, key):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): takes `shape` of the rows
        key, part = jax.random.split(key)
        w = noisy(w, x[i : i + size], part)
    return w, i


@jax.jit
def scanned(w, level, x):
    level, _ = jax.lax.scan(lambda level, row: (0.9 * level + row @ w, None), level, x)
    return w - 0.1 * jnp.mean(x @ w), level


def over_rows(w, level, x, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): calls `jax.lax.scan`, which may mix rows
        w, level = scanned(w, level, x[i : i + size])
    return w, i


@jax.jit
def of_another_file(w, x):
    return w - 0.1 * jnp.mean(normalised(x) @ w)


def elsewhere(w, x, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): calls `normalised`, which may mix rows
        w = of_another_file(w, x[i : i + size])
    return w, i


@jax.jit
def last_row(w, x):
    return w - 0.1 * jnp.mean(x @ w) + x[-1]


def picked(w, x, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): picks rows
        w = last_row(w, x[i : i + size])
    return w, i


@jax.jit
def mapped(w, x):
    values = jax.tree.map(lambda p: p - x.T @ x, w)
    return values, jnp.mean(x)


def captured(w, x, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): reads `x` in a function that is passed on
        w, _ = mapped(w, x[i : i + size])
    return w, i


@jax.jit
def per_row(w, x):
    error = x @ w
    return w - 0.1 * jnp.mean(error), error**2


def results_of_rows(w, x, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): may have a row for each of the batch
        w, errors = per_row(w, x[i : i + size])
        print(np.asarray(errors))
    return w, i


@jax.jit
def weights_alone(w, x):
    return w - 0.1 * jnp.mean(w**2) + jnp.max(x[:, 0] * 0, axis=-1)


def no_mean(w, x, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): may have a row for each of the batch
        w = weights_alone(w, x[i : i + size])
    return w, i


def scaled(x):
    return x / jnp.mean(x**2)


@jax.jit
def twice(w, x):
    def loss(w):
        return jnp.mean(scaled(x) @ w)

    return w - 0.1 * jax.grad(loss)(w)


def of_a_mean(w, x, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): of what another mean over rows is in
        w = twice(w, x[i : i + size])
    return w, i


@jax.jit
def chosen(w, x, weights):
    loss = jnp.mean(x @ w) if weights is None else jnp.mean(weights @ w)
    return w - 0.1 * loss


def if_there_are_any(w, x, weights, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): a lambda, a test or a comprehension
        w = chosen(w, x[i : i + size], weights)
    return w, i
