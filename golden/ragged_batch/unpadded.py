"""Generators of batches that cannot be padded, though that was asked for: each can be dropped."""
# asked: --ragged pad

import jax
import jax.numpy as jnp


def mean_of(w, x):
    return jnp.mean(x @ w)


grads_of = jax.jit(jax.grad(mean_of))


def parts(data, size):
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): `--ragged drop`
        yield data[i : i + size]


def reading(w, data):
    for x in parts(data, 64):
        print(x)
        w = w - grads_of(w, x)
    return w


def shared(data, size):
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): `--ragged drop`
        yield data[i : i + size]


def twice(w, data):
    for x in shared(data, 64):
        w = w - grads_of(w, x)
    for x in shared(data, 32):
        w = w - grads_of(w, x)
    return w


def centred(data, size):
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): `--ragged drop`
        x = data[i : i + size]
        yield x - x.sum()


def of_centred(w, data):
    for x in centred(data, 64):
        w = w - grads_of(w, x)
    return w


def numbered(data, size):
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): `--ragged drop`
        yield data[i : i + size]


def of_numbered(w, data):
    for number, x in enumerate(numbered(data, 64)):
        w = w - grads_of(w, x)
    return w


def ended(data, size):
    for i in range(0, len(data), size):  # want: ragged-batch (no fix): `--ragged drop`
        yield data[i : i + size]
    yield data


def of_ended(w, data):
    for x in ended(data, 64):
        w = w - grads_of(w, x)
    return w


def summed(w, x):
    total = jax.lax.fori_loop(0, 3, lambda i, total: total + jnp.sum(x), 0.0)
    return jnp.mean(x @ w) * total


grads_of_sums = jax.jit(jax.grad(summed))


def of_sums(w, data):
    for i in range(0, len(data), 64):  # want: ragged-batch (no fix): `--ragged drop`
        w = w - grads_of_sums(w, data[i : i + 64])
    return w


def rows_of_numbers(w, x):
    return jnp.mean(jax.lax.fori_loop(0, x.shape[0], lambda i, total: total + w, w))


grads_of_numbers = jax.jit(jax.grad(rows_of_numbers))


def of_numbers(w, data):
    for i in range(0, len(data), 64):  # want: ragged-batch (no fix): `--ragged drop`
        w = w - grads_of_numbers(w, data[i : i + 64])
    return w
