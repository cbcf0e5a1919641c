"""An evaluation of jitted functions, which a function of the file makes, and of what is computed with their results."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


def on_rows(function):
    @jax.jit
    @functools.wraps(function)
    def mapped(*args):
        return jax.vmap(function, in_axes=(None, 0))(*args)

    return mapped


def classify(weights, row):
    return jnp.tanh(row @ weights)


classify_all = on_rows(classify)


def shard(array):
    devices = jax.local_device_count()
    return array.reshape(devices * (len(array) // devices), *array.shape[1:])


def margin(row):
    best = jnp.sort(row)
    return best[-1] - best[-2]


def evaluate(weights, rows, labels):
    scores = classify_all(weights, shard(rows)).reshape(-1, 4)
    losses = classify_all(weights, shard(rows)).sum(axis=1)
    accuracy = jnp.mean(jnp.argmax(scores, axis=1) == labels)
    wrong = losses.mean(where=losses > 0.5)
    margins = jax.vmap(margin)(scores)
    return float(accuracy), float(wrong), float(margins.mean())


def main(epochs):
    weights = jnp.ones((3, 4)) * jnp.arange(4.0)
    rows = np.linspace(-1.0, 1.0, 120, dtype=np.float32).reshape(40, 3)
    labels = np.zeros(40, np.int32)
    for _ in range(epochs):
        print(*evaluate(weights, rows, labels))  # want: unjitted-update
        weights = weights * 0.9


if __name__ == "__main__":
    main(10)
