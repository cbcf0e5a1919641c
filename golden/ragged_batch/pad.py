"""Loops whose last batch is padded and masked, because that was asked for."""
# asked: --ragged pad

import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(w, x, y):
    errors = (x @ w - y) ** 2
    return jnp.mean(errors)


@jax.jit
def step(w, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(w, x, y)
    return w - 0.1 * grads, loss


def train(w, x, y, size):
    n = len(x)
    for i in range(0, n, size):  # want: ragged-batch
        w, loss = step(w, x[i : i + size], y[i : i + size])
    return w


def evaluate(w, x, y):
    return loss_fn(w, x, y)


@jax.jit
def inside(params, batch, rate=0.1):
    def loss(params):
        logits = batch @ params
        entropy = -(jax.nn.log_softmax(logits, axis=-1) * logits).sum(axis=-1).mean()
        return entropy

    return params - rate * jax.grad(loss)(params)


def fit(params, data, size):
    for start in range(0, data.shape[0], size):  # want: ragged-batch
        end = min(start + size, data.shape[0])
        batch = jnp.asarray(data[start:end])
        params = inside(params, batch)
    return params


def error_of(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


compute_error = jax.jit(error_of)
compute_grads = jax.jit(jax.grad(error_of))


# Through a generator, whose batches come to two functions.
def batches(random, x, y, size):
    order = random.permutation(len(x))
    for start in range(0, len(x), size):  # want: ragged-batch
        index = order[start : start + size]
        widest = x[index].max()
        yield x[index] / widest, y[index]


def epochs(w, x, y):
    for _ in range(3):
        for a, b in batches(np.random.default_rng(0), x, y, 32):
            error = compute_error(w, a, b)
            grads = compute_grads(w, a, b)
            w = w - 0.1 * grads
            print(error)
    return w


def squares_of(w, x):
    return jnp.mean((x @ w) ** 2)


value_and_grads = jax.jit(jax.value_and_grad(squares_of))


def kept(w, data, size):
    losses = []
    for start in range(0, len(data), size):  # want: ragged-batch
        loss, grads = value_and_grads(w, data[start : start + size])
        w = w - grads
        losses.append(jnp.ravel(loss))
    return w, jnp.concatenate(losses)


# A mean of weights, two means in one line, and a range that ends elsewhere.
def layer(params, x):
    return jax.nn.relu(jnp.dot(x, params["w"]) + params["b"])


@jax.jit
def both(params, x, y):
    def loss(params):
        error = (layer(params, x) - y)[..., None]
        return jnp.mean(error**2) + jnp.mean(params["w"] ** 2) + abs(error).mean()

    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))


def of_some(params, x, y, count, size):
    for i in range(0, count, size):  # want: ragged-batch
        params = both(params, x[i : i + size], y[i : i + size])
    return params


# What is yielded is sliced there.
def slices(x, y, size):
    for i in range(0, len(x), size):  # want: ragged-batch
        yield x[i : i + size], y[i : i + size]


@jax.jit
def last(w, x, y):
    error = jnp.mean((x @ w - y) ** 2)
    return w - error, error


def once(w, x, y):
    for a, b in slices(x, y, 32):
        w, loss = last(w, a, b)
    return w


# A state for each row, over the columns of the batch.
def read(params, tokens, lengths):
    embedded = params["embedding"][tokens]
    state = jnp.zeros((tokens.shape[0], 8))
    for t in range(tokens.shape[1]):
        new = jnp.tanh(embedded[:, t] + state @ params["state"])
        state = jnp.where((t < lengths)[:, None], new, state)
    return state @ params["out"]


def reading_loss(params, tokens, lengths, labels):
    logits = read(params, tokens, lengths)
    return jnp.mean(-jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, 3))


reading_grads = jax.jit(jax.grad(reading_loss))


def learns(params, tokens, lengths, labels, size):
    for i in range(0, len(tokens), size):  # want: ragged-batch
        some, long = tokens[i : i + size], lengths[i : i + size]
        grads = reading_grads(params, some, long, labels[i : i + size])
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    return params


def last_state(w, tokens, lengths):
    state = jnp.zeros((tokens.shape[0], 4))

    def advance(t, state):
        return jnp.where((t < lengths)[:, None], jnp.tanh(state @ w + tokens[:, t, None]), state)

    return jax.lax.fori_loop(0, tokens.shape[1], jax.checkpoint(advance), state)


def loss_of_states(w, tokens, lengths):
    return jnp.mean(jnp.sum(last_state(w, tokens, lengths) ** 2, axis=1))


slopes_of_states = jax.jit(jax.grad(loss_of_states))


def recurrent(w, tokens, lengths, size):
    for start in range(0, len(tokens), size):  # want: ragged-batch
        slopes = slopes_of_states(w, tokens[start : start + size], lengths[start : start + size])
        w = w - slopes
    return w
