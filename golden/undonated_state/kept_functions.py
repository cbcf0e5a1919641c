"""Jitted functions of a method that an attribute keeps."""

import jax
import jax.numpy as jnp


class Trainer:
    def __init__(self, rate):
        self._rate = rate
        self._create()

    def _create(self):
        @jax.jit  # want: undonated-state
        def step(state, batch):
            return state - self._rate * (state - batch)

        self._step = step

    def fit(self, batches):
        state = jnp.zeros((1000, 1000))
        for batch in batches:
            state = self._step(state, batch)
        return state


class Comparing:
    """It reads the old state after the step."""

    def __init__(self):
        @jax.jit  # want: undonated-state (no fix): `state` may still be needed
        def step(state, batch):
            return state - 0.1 * (state - batch)

        self._next = step

    def fit(self, batches):
        state = jnp.zeros((1000, 1000))
        for batch in batches:
            before = state
            state = self._next(state, batch)
            print(jnp.abs(state - before).max())
        return state


class Open:
    """Others may call the step, and use again what they passed."""

    def __init__(self):
        @jax.jit  # want: undonated-state (no fix): other files may call `step`
        def step(state, batch):
            return state - 0.1 * (state - batch)

        self.step = step

    def fit(self, batches):
        state = jnp.zeros((1000, 1000))
        for batch in batches:
            state = self.step(state, batch)
        return state


class Handing:
    """It passes the step on."""

    def __init__(self, register):
        @jax.jit  # want: undonated-state (no fix): is passed on
        def step(state, batch):
            return state - 0.1 * (state - batch)

        self._once = step
        register(self._once)

    def fit(self, batches):
        state = jnp.zeros((1000, 1000))
        for batch in batches:
            state = self._once(state, batch)
        return state
