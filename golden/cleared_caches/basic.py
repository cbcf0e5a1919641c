"""Loops that clear the caches of jax after each step."""

import gc
from functools import partial

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


def loss(params, batch):
    return jnp.sum((batch @ params) ** 2)


@partial(jax.jit, static_argnames=["optimizer_update"])
def update(params, state, batch, optimizer_update):
    gradient = jax.grad(loss)(params, batch)
    updates, state = optimizer_update(gradient, state)
    return loss(params, batch), optax.apply_updates(params, updates), state


def train(params, loader, epochs):
    state = optimizer.init(params)
    for _ in range(epochs):
        total = 0.0
        for batch in loader:
            value, params, state = update(params, state, batch, optimizer.update)
            total += value
            gc.collect()
            jax.clear_caches()  # want: cleared-caches (no fix): remove the call
        print(total)
    return params


def train_of_a_partial(params, loader):
    state = optimizer.init(params)
    step = partial(update, optimizer_update=optimizer.update)
    for batch in loader:
        value, params, state = step(params=params, state=state, batch=batch)
        jax.clear_caches()  # want: cleared-caches (no fix): remove the call
    return params


class Trainer:
    def __init__(self, params):
        self.params = params
        self.step = jax.jit(self._step)

    def _step(self, params, batch):
        return params - 0.1 * jax.grad(loss)(params, batch)

    def fit(self, loader):
        for batch in loader:
            self.params = self.step(self.params, batch)
            jax.clear_caches()  # want: cleared-caches (no fix): remove the call
