"""Loops whose batches are all alike, or come to nothing that is compiled."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(w, x):
    return w + jnp.mean(x)


def whole(w, data):
    for i in range(0, 128, 32):
        w = step(w, data[i : i + 32])
    return w


def cut(w, data, size):
    n = len(data) - len(data) % size
    for i in range(0, n, size):
        w = step(w, data[i : i + size])
    for i in range(0, len(data) - size + 1, size):
        w = step(w, data[i : i + size])
    return w


def of_steps(w, data, size, steps):
    for i in range(0, steps * size, size):
        w = step(w, data[i : i + size])
    return w


def skipped(w, data, size):
    for i in range(0, len(data), size):
        x = data[i : i + size]
        if len(x) < size:
            continue
        w = step(w, x)
    return w


def not_compiled(data, size):
    return [data[i : i + size].sum() for i in range(0, len(data), size)]


def eager(w, data, size):
    for i in range(0, len(data), size):
        w = w + jnp.mean(data[i : i + size])
    return w


def one_row(w, data, size):
    for i in range(0, len(data), size):
        w = step(w, data[i])
    return w


def windows(w, data, size):
    for i in range(0, len(data), size):
        w = step(w, data[i : i + 2 * size])
    return w


@jax.jit
def traced(w, data):
    for i in range(0, data.shape[0], 30):
        w = step(w, data[i : i + 30])
    return w


def of_losses(w, data, size):
    losses = np.zeros(len(data))
    for i in range(0, len(data), size):
        losses[i : i + size] = 1.0
        w = step(w, losses)
    return w


def of_one_shape(w, data, devices, size):
    for i in range(0, len(data), devices * size):
        block = data[i : i + devices * size]
        w = step(w, block.reshape(devices, size, data.shape[1]))
    for i in range(0, len(data), devices * size):
        block = jnp.reshape(data[i : i + devices * size], (devices, size))
        w = step(w, block)
    return w
