"""Loops whose last batch is padded and masked, because that was asked for."""
# asked: --ragged pad

import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(w, x, y, mask=None):
    errors = (x @ w - y) ** 2
    by_row = errors
    return jnp.mean(
        by_row,
        where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1)),
    )


@jax.jit
def step(w, x, y, mask=None):
    loss, grads = jax.value_and_grad(loss_fn)(w, x, y, mask=mask)
    return w - 0.1 * grads, loss


def train(w, x, y, size):
    n = len(x)
    for i in range(0, n, size):
        numbers = np.arange(i, i + size)
        rows, mask = np.minimum(numbers, n - 1), numbers < n
        w, loss = step(w, x[rows], y[rows], mask=mask)
    return w


def evaluate(w, x, y):
    return loss_fn(w, x, y)


@jax.jit
def inside(params, batch, rate=0.1, mask_2=None):
    def loss(params):
        logits = batch @ params
        by_row_2 = (jax.nn.log_softmax(logits, axis=-1) * logits).sum(axis=-1)
        entropy = -jnp.mean(
            by_row_2,
            where=None if mask_2 is None else mask_2.reshape(-1, *[1] * (by_row_2.ndim - 1)),
        )
        return entropy

    return params - rate * jax.grad(loss)(params)


def fit(params, data, size):
    for start in range(0, data.shape[0], size):
        numbers_2 = np.arange(start, start + size)
        rows_2, mask_2 = np.minimum(numbers_2, data.shape[0] - 1), numbers_2 < data.shape[
            0
        ]
        end = min(start + size, data.shape[0])
        batch = jnp.asarray(data[rows_2])
        params = inside(params, batch, mask_2=mask_2)
    return params
