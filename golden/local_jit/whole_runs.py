"""Runs of a program that report from their loops: what each compiles once costs nobody a change, unless a run says so."""

import jax
import jax.numpy as jnp


def simulate(state, rate, end):
    @jax.jit  # want: local-jit
    def advance(state, rate):
        return state + rate * jnp.sin(state)

    time = 0.0
    while time < end:
        state = advance(state, rate)
        time = time + rate
        print(time, state.sum())
    return state


def fit(weights, batches, rate):
    step = jax.jit(lambda w, batch: w - rate * (batch.T @ (batch @ w)))  # want: local-jit
    for number, batch in enumerate(batches):
        weights = step(weights, batch)
        if number % 10 == 0:
            print(number, weights[0])
    return weights
