"""Batches that are cut to the longest of their rows: all columns are taken, as the rows are padded."""
# asked: --ragged pad

import jax
import jax.numpy as jnp
import numpy as np


def row_losses(w, tokens, lengths):
    seen = jnp.arange(tokens.shape[1]) < lengths[:, None]
    return jnp.sum(jnp.where(seen, w[tokens], 0.0), axis=1) ** 2


def loss_fn(w, tokens, lengths, mask=None):
    by_row = row_losses(w, tokens, lengths)
    return jnp.mean(by_row, where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1)))


@jax.jit
def step(w, tokens, lengths, mask=None):
    loss, grads = jax.value_and_grad(loss_fn)(w, tokens, lengths, mask=mask)
    return w - 0.01 * grads, loss


def train(w, tokens, lengths, size):
    for i in range(0, len(tokens), size):
        numbers = np.arange(i, i + size)
        rows, mask = np.minimum(numbers, len(tokens) - 1), numbers < len(tokens)
        w, loss = step(w, tokens[rows], lengths[rows], mask=mask)
    return w


def batches(random, tokens, lengths, size):
    order = random.permutation(len(tokens))
    for start in range(0, len(tokens), size):
        index = order[start : start + size]
        longest = lengths[index].max()
        yield tokens[index, :longest], lengths[index]


def epochs(w, tokens, lengths):
    for rows, ends in batches(np.random.default_rng(0), tokens, lengths, 32):
        w, loss = step(w, rows, ends)
        print(loss)
    return w


# A width that is read for something else too stays what it is.
def train_and_tell(w, tokens, lengths, size):
    for i in range(0, len(tokens), size):
        longest = lengths[i : i + size].max()
        print(longest)
        w, loss = step(w, tokens[i : i + size, :longest], lengths[i : i + size])
    return w
