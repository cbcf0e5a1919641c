"""Loops whose last batch is padded and masked, because that was asked for."""
# asked: --ragged pad

import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(w, x, y, mask=None):
    errors = (x @ w - y) ** 2
    by_row = errors
    return jnp.mean(
        by_row, where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1))
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
def inside(params, batch, rate=0.1, mask=None):
    def loss(params):
        logits = batch @ params
        by_row = (jax.nn.log_softmax(logits, axis=-1) * logits).sum(axis=-1)
        entropy = -jnp.mean(
            by_row, where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1))
        )
        return entropy

    return params - rate * jax.grad(loss)(params)


def fit(params, data, size):
    for start in range(0, data.shape[0], size):
        numbers = np.arange(start, start + size)
        rows, mask = np.minimum(numbers, data.shape[0] - 1), numbers < data.shape[0]
        end = min(start + size, data.shape[0])
        batch = jnp.asarray(data[rows])
        params = inside(params, batch, mask=mask)
    return params


def error_of(w, x, y, mask=None):
    by_row = (x @ w - y) ** 2
    return jnp.mean(
        by_row, where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1))
    )


compute_error = jax.jit(error_of)
compute_grads = jax.jit(jax.grad(error_of))


# Through a generator, whose batches come to two functions.
def batches(random, x, y, size):
    order = random.permutation(len(x))
    for start in range(0, len(x), size):
        numbers = np.arange(start, start + size)
        rows, mask = np.minimum(numbers, len(x) - 1), numbers < len(x)
        index = order[rows]
        widest = x[index].max()
        yield x[index] / widest, y[index], mask


def epochs(w, x, y):
    for _ in range(3):
        for a, b, mask in batches(np.random.default_rng(0), x, y, 32):
            error = compute_error(w, a, b, mask=mask)
            grads = compute_grads(w, a, b, mask=mask)
            w = w - 0.1 * grads
            print(error)
    return w


def squares_of(w, x, mask=None):
    by_row = (x @ w) ** 2
    return jnp.mean(
        by_row, where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1))
    )


value_and_grads = jax.jit(jax.value_and_grad(squares_of))


def kept(w, data, size):
    losses = []
    for start in range(0, len(data), size):
        numbers = np.arange(start, start + size)
        rows, mask = np.minimum(numbers, len(data) - 1), numbers < len(data)
        loss, grads = value_and_grads(w, data[rows], mask=mask)
        w = w - grads
        losses.append(jnp.ravel(loss))
    return w, jnp.concatenate(losses)


# A mean of weights, two means in one line, and a range that ends elsewhere.
def layer(params, x):
    return jax.nn.relu(jnp.dot(x, params["w"]) + params["b"])


@jax.jit
def both(params, x, y, mask=None):
    def loss(params):
        error = (layer(params, x) - y)[..., None]
        by_row = abs(error)
        by_row_2 = error**2
        return jnp.mean(by_row_2, where=None if mask is None else mask.reshape(-1, *[1] * (by_row_2.ndim - 1))) + jnp.mean(
            params["w"] ** 2
        ) + jnp.mean(by_row, where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1)))

    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))


def of_some(params, x, y, count, size):
    for i in range(0, count, size):
        numbers = np.arange(i, i + size)
        rows, mask = np.minimum(numbers, len(x) - 1), numbers < len(x)
        params = both(params, x[rows], y[rows], mask=mask)
    return params


# What is yielded is sliced there.
def slices(x, y, size):
    for i in range(0, len(x), size):
        numbers = np.arange(i, i + size)
        rows, mask = np.minimum(numbers, len(x) - 1), numbers < len(x)
        yield x[rows], y[rows], mask


@jax.jit
def last(w, x, y, mask=None):
    by_row = (x @ w - y) ** 2
    error = jnp.mean(
        by_row, where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1))
    )
    return w - error, error


def once(w, x, y):
    for a, b, mask in slices(x, y, 32):
        w, loss = last(w, a, b, mask=mask)
    return w


# A state for each row, over the columns of the batch.
def read(params, tokens, lengths):
    embedded = params["embedding"][tokens]
    state = jnp.zeros((tokens.shape[0], 8))
    for t in range(tokens.shape[1]):
        new = jnp.tanh(embedded[:, t] + state @ params["state"])
        state = jnp.where((t < lengths)[:, None], new, state)
    return state @ params["out"]


def reading_loss(params, tokens, lengths, labels, mask=None):
    logits = read(params, tokens, lengths)
    by_row = -jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, 3)
    return jnp.mean(
        by_row, where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1))
    )


reading_grads = jax.jit(jax.grad(reading_loss))


def learns(params, tokens, lengths, labels, size):
    for i in range(0, len(tokens), size):
        numbers = np.arange(i, i + size)
        rows, mask = np.minimum(numbers, len(tokens) - 1), numbers < len(tokens)
        some, long = tokens[rows], lengths[rows]
        grads = reading_grads(params, some, long, labels[rows], mask=mask)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    return params


def last_state(w, tokens, lengths):
    state = jnp.zeros((tokens.shape[0], 4))

    def advance(t, state):
        return jnp.where((t < lengths)[:, None], jnp.tanh(state @ w + tokens[:, t, None]), state)

    return jax.lax.fori_loop(0, tokens.shape[1], jax.checkpoint(advance), state)


def loss_of_states(w, tokens, lengths, mask=None):
    by_row = jnp.sum(last_state(w, tokens, lengths) ** 2, axis=1)
    return jnp.mean(
        by_row, where=None if mask is None else mask.reshape(-1, *[1] * (by_row.ndim - 1))
    )


slopes_of_states = jax.jit(jax.grad(loss_of_states))


def recurrent(w, tokens, lengths, size):
    for start in range(0, len(tokens), size):
        numbers = np.arange(start, start + size)
        rows, mask = np.minimum(numbers, len(tokens) - 1), numbers < len(tokens)
        slopes = slopes_of_states(w, tokens[rows], lengths[rows], mask=mask)
        w = w - slopes
    return w
