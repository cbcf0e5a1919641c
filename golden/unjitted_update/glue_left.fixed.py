"""Loops with eager operations that are no step, or too few to matter."""

import time

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(params, batch):
    return params - 0.1 * batch, jnp.sum(batch)


# One operation beside a jitted step.
def totals(params, batches):
    total = 0.0
    for batch in batches:
        params, loss = step(params, batch)
        total = total + loss
    return params, total


# Few rounds.
def settled(params, batch):
    for _ in range(3):
        params = jax.tree.map(lambda p: jnp.clip(p - 0.1 * batch, -1.0, 1.0), params)
    return params


# Python and NumPy.
def averaged(rows):
    found = []
    for row in rows:
        mean = np.mean(row)
        spread = np.sqrt(np.mean((row - mean) ** 2))
        found.append((row - mean) / (spread + 1e-8))
    return found


@jax.jit
def timed_step(params, batch):
    return params - 0.1 * jnp.tanh(params) * batch


@jax.jit
def advance(params, batch):
    return params - 0.1 * jnp.sin(params) * batch


# It measures the first operations, and reads the clock between them and the others.
def timed(params, batches):
    for batch in batches:
        began = time.perf_counter()
        params = timed_step(params, batch)
        print(time.perf_counter() - began)
        params = advance(params, batch)
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 5
    totals(jnp.ones(3), batches)
    settled(jnp.ones(3), batches[0])
    averaged([np.ones(3)] * 5)
    timed(jnp.ones(3), batches)
