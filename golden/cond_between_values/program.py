"""Fits a level by gradients that are taken eagerly, of a loss that chooses between two values."""

import jax
import jax.numpy as jnp
from jax import lax


def loss(level, target):
    error = level - target
    cost = lax.cond(error > 0, lambda error: error * 0.5, lambda error: error * -2.0, error)  # want: cond-between-values
    return cost + 0.5 * (level - 1.0) ** 2


def fit(steps):
    level, losses = jnp.float32(0.0), []
    for step in range(steps):
        value, slope = jax.value_and_grad(loss)(level, jnp.sin(jnp.float32(step)))
        level = level - 0.125 * slope
        losses.append(value)
    return level, losses


if __name__ == "__main__":
    level, losses = fit(12)
    print(float(level), [float(value) for value in losses])
