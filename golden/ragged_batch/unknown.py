# Rows of which nothing says how many there are: one more compile at most. Not so where each file has its own number.
import jax
import jax.numpy as jnp
from elsewhere import load


@jax.jit
def step(w, x):
    return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)


def train(w, path):
    rows = load(path)
    for _ in range(10):
        for start in range(0, len(rows), 64):  # want: ragged-batch (no fix)
            w = step(w, rows[start : start + 64])
    return w


def train_on_each(w, paths):
    for path in paths:
        rows = load(path)
        for start in range(0, len(rows), 64):  # want: ragged-batch (no fix)
            w = step(w, rows[start : start + 64])
    return w
