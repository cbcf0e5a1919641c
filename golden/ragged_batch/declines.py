"""Loops with a last batch that is shorter, which only a person can change."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(w, x):
    return w + jnp.mean(x), jnp.sum(x**2)


@jax.jit
def predict(w, x):
    return x @ w


def not_asked(w, data, size):
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): dropped or padded on request: `--ragged drop`
        w, _ = step(w, data[i : i + size])
    return w


def predictions(w, data, size):
    found = []
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): results for the last rows would be missing
        found.append(predict(w, data[i : i + size]))
    return jnp.concatenate(found)


@jax.jit
def encode(key, x):
    return jax.random.split(key)[0], x + jax.random.normal(key)


def with_a_state(key, data, size):
    found = []
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): keeps results that may be those of each row
        key, z = encode(key, data[i : i + size])
        found.append(np.asarray(z))
    return np.concatenate(found, axis=0)


def filled(key, data, size):
    found = np.zeros_like(data)
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): keeps results that may be those of each row
        key, z = encode(key, data[i : i + size])
        found[i : i + size] = z
    return found


def rebound_by_itself(w, data, size):
    found = []
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): `predict` trains nothing
        x = jnp.asarray(data[i : i + size])
        x = x / 255.0
        found.append(predict(w, x))
    return found


def weighted(w, data, size):
    total = 0.0
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): how long it is
        x = data[i : i + size]
        w, loss = step(w, x)
        total += float(loss) * len(x)
    return w, total / len(data)


def numbered(w, data, size):
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): where a batch begins
        w, loss = step(w, data[i : i + size])
        print(i, loss)
    return w


def counted(w, data, size):
    total = 0.0
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): counts the batches
        w, loss = step(w, data[i : i + size])
        total += loss
    return w, total / (len(data) // size + 1)


def batches(data, size):
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): may need every row
        yield data[i : i + size]


def trains(w, data):
    for x in batches(data, 64):
        w, loss = step(w, x)
    return w


@jax.jit
def in_a_lambda(w, x, y):
    return w - jax.grad(lambda w: jnp.sum((x @ w - y) ** 2))(w)


def of_a_sum(w, x, y, size):
    for i in range(0, len(x), size):  # want: ragged-batch (no fix): `--ragged drop`
        w = in_a_lambda(w, x[i : i + size], y[i : i + size])
    return w


def tests(w, data):
    return np.concatenate([predict(w, x) for x in batches(data, 64)])
