"""Batches of shuffled rows: elements by an array of positions, which take several programs each."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

optimizer = optax.adam(1e-3)


def loss(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


@jax.jit
def step(params, state, x, y):
    value, gradient = jax.value_and_grad(loss)(params, x, y)
    updates, state = optimizer.update(gradient, state)
    return optax.apply_updates(params, updates), state, value


def train(key, x, y, epochs, size):
    params = jnp.zeros(x.shape[1])
    state = optimizer.init(params)
    for epoch in range(epochs):
        key, part = jax.random.split(key)
        order = jax.random.permutation(part, x.shape[0])
        for start in range(0, x.shape[0], size):
            chosen = order[start : start + size]
            xs, ys = x[chosen], y[chosen]  # want: unjitted-update
            params, state, value = step(params, state, xs, ys)
        print(epoch, value)
    return params


# Rows of NumPy are taken by NumPy, whatever says which.
def train_of_host(key, x, y, epochs, size):
    x, y = np.asarray(x), np.asarray(y)
    params = jnp.zeros(16)
    state = optimizer.init(params)
    for epoch in range(epochs):
        key, part = jax.random.split(key)
        order = jax.random.permutation(part, 3200)
        for start in range(0, 3200, size):
            chosen = order[start : start + size]
            xs, ys = x[chosen], y[chosen]
            params, state, value = step(params, state, xs, ys)
        print(epoch, value)
    return params


# As many rows as a mask selects: under a trace it would raise.
def train_of_some(key, x, y, epochs):
    params = jnp.zeros(16)
    state = optimizer.init(params)
    for epoch in range(epochs):
        key, part = jax.random.split(key)
        kept = jax.random.uniform(part, 3200) > 0.5
        xs, ys = x[kept], y[kept]
        params, state, value = step(params, state, xs, ys)
        print(epoch, value)
    return params


key = jax.random.key(0)
x = jax.random.normal(key, (3200, 16))
train(key, x, x.sum(1), 20, 32)
train_of_host(key, x, x.sum(1), 20, 32)
train_of_some(key, x, x.sum(1), 20)
