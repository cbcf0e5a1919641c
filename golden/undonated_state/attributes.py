"""States that an object holds, and what they are made of."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


def _step(state, batch):
    return state - 0.1 * (state - batch)


class Trainer:
    """A step in an attribute, a state in another one."""

    def __init__(self, n):
        self._state = jnp.zeros((1000, 1000))
        self._step = jax.jit(_step)  # want: undonated-state

    def fit(self, batches):
        for batch in batches:
            self._state = self._step(self._state, batch)
            print(float(jnp.sum(self._state)), self._state.shape)


class Fed:
    """Called again and again by somebody."""

    def __init__(self, n):
        self._state = jnp.zeros((1000, 1000))

    @functools.partial(jax.jit, static_argnums=0)  # want: undonated-state
    def _next(self, state, batch):
        return state - 0.1 * (state - batch)

    def feed(self, batch):
        self._state = self._next(self._state, batch)


class Open:
    """Others may hold the state."""

    def __init__(self, n):
        self.state = jnp.zeros((1000, 1000))
        self._step = jax.jit(_step)  # want: undonated-state (no fix): other files may hold `self.state`

    def feed(self, batch):
        self.state = self._step(self.state, batch)


class Kept:
    """Its own method gives the state away."""

    def __init__(self, n):
        self._state = jnp.zeros((1000, 1000))
        self._step = jax.jit(_step)  # want: undonated-state (no fix): `self._state` may still be needed

    def feed(self, batch):
        self._state = self._step(self._state, batch)

    def snapshot(self):
        return self._state


class Given:
    """The first state belongs to whoever made it."""

    def __init__(self, state):
        self._state = state
        self._step = jax.jit(_step)  # want: undonated-state (no fix): `self._state` starts as `state`

    def feed(self, batch):
        self._state = self._step(self._state, batch)


class Training(NamedTuple):
    params: jax.Array
    target: jax.Array
    rest: jax.Array


@jax.jit  # want: undonated-state (no fix): `state` holds `params` twice
def _polyak(state, batch):
    params = state.params - 0.1 * batch
    return Training(params, 0.9 * state.target + 0.1 * params, state.rest)


def twice(n, batches):
    params = jnp.zeros((1000, 1000))
    state = Training(params, params, jnp.zeros(n))
    for batch in batches:
        state = _polyak(state, batch)
    return state


@jax.jit  # want: undonated-state
def _update(state, batch):
    return state - 0.1 * batch


def shaped(envs, network, batches):
    """Of what makes the state only shapes and functions are read later."""
    state = network.init(jnp.zeros(envs.observation_space.shape), envs.num_envs)
    for batch in batches:
        state = _update(state, envs.step(batch))
    return network.apply(state)


def _optimized(params, state, batch):
    updates, state = optax.adam(0.1).update(params * batch, state)
    return optax.apply_updates(params, updates), state


def train(optimizer, n, batches):
    """The state of a caller's optimizer may hold the caller's arrays."""
    step = jax.jit(_optimized)  # want: undonated-state
    params = jnp.zeros((1000, 1000))
    state = optimizer.init(params)
    for batch in batches:
        params, state = step(params, state, batch)
    return params, state


