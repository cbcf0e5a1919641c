"""Loops whose last batch is left out, because that was asked for."""
# asked: --ragged drop

import jax
import jax.numpy as jnp
import numpy as np
from tqdm import tqdm


@jax.jit
def update(state, batch):
    return state + jnp.mean(batch["x"]), jnp.mean(batch["y"])


@jax.jit
def step(w, x):
    return w + jnp.mean(x), x.sum()


def by_names(w, data, batch_size, epochs):
    n = data.shape[0]
    for _ in range(epochs):
        order = np.random.permutation(n)
        for start in range(0, n, batch_size):  # want: ragged-batch
            end = start + batch_size
            chosen = order[start:end]
            w, loss = step(w, jnp.asarray(data[chosen]))
    return w


def to_the_end(state, x, y, size):
    rows = len(x)
    for i in tqdm(range(0, rows, size)):  # want: ragged-batch
        batch = {"x": x[i : min(i + size, rows)], "y": y[i : i + size, 0]}
        state, loss = update(state, batch)
    return state


def of_numbers(w):
    data = np.ones((100, 3))
    for i in range(0, 100, 30):  # want: ragged-batch
        w, _ = step(w, data[i : i + 30])
    return w


# Through a generator, all of whose batches train.
def batches(data, size):
    for i in range(0, len(data), size):  # want: ragged-batch
        yield data[i : i + size]


def epochs(w, data):
    for epoch in range(3):
        for number, x in enumerate(tqdm(batches(data, 32 * 2))):
            w, loss = step(w, x)
    return w


class Trainer:
    def fit(self, data, size):
        for i in range(0, data.shape[0], 2 * size):  # want: ragged-batch
            x = data[i : i + 2 * size].astype(jnp.float32)
            self.w, self.loss = step(self.w, x)


# Rows that need not be those of the array.
def of_some(w, data, count, size):
    for i in range(0, count, size):  # want: ragged-batch
        w, _ = step(w, data[i : i + size])
    return w


def up_to(w, data, count, size):
    for i in range(0, count, size):  # want: ragged-batch
        w, _ = step(w, data[i : min(i + size, count)])
    return w


def told(w, data, size):
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): line 82 reads where the last batch began
        w, _ = step(w, data[i : i + size])
    return w, data[i:]


def shuffled(w, data, size, key):
    n = len(data)
    order = jax.random.permutation(key, n)
    for i in range(0, n, size):  # want: ragged-batch
        w, _ = step(w, data[order[i : i + size]])
    return w


# What is sliced, and by how much, must stay.
def shrinking(w, data, size):
    for i in range(0, len(data), size):
        w, _ = step(w, data[i : i + size])
        data = data[1:]
    return w


def by_name(w, data, size):
    for i in range(0, len(data["x"]), size):  # want: ragged-batch
        w, _ = step(w, data["x"][i : i + size] + data["y"][i : i + size])
    return w


def replaced(w, data, size):
    for i in range(0, len(data["x"]), size):
        w, _ = step(w, data["x"][i : i + size])
        data["x"] = data["x"][:-1]
    return w
