"""Functions that a step alone calls: the program of the step holds what they do."""

import jax
import jax.numpy as jnp


def loss_of(params):
    return jnp.sum(jnp.cos(params))


def update(gradients, mean, square, rate=0.9):
    mean = rate * mean + (1 - rate) * gradients
    square = rate * square + (1 - rate) * gradients ** 2
    return mean / (jnp.sqrt(square) + 1e-8), mean, square


def train(params, count):
    mean, square = jnp.zeros(3), jnp.zeros(3)
    for _ in range(count):
        gradients = jax.grad(loss_of)(params)  # want: unjitted-update
        change, mean, square = update(gradients, mean, square)
        params = params - 0.1 * change
    return params


# Two steps call it.
def scaled(gradients, mean):
    mean = 0.9 * mean + 0.1 * gradients
    return mean / (jnp.sqrt(jnp.abs(mean)) + 1e-8), mean


def train_scaled(params, count):
    mean = jnp.zeros(3)
    for _ in range(count):
        gradients = jax.grad(loss_of)(params)  # want: unjitted-update
        change, mean = scaled(gradients, mean)
        params = params - 0.1 * change
    return params


def smooth(rows):
    mean = jnp.zeros(3)
    for row in rows:
        change, mean = scaled(row, mean)  # want: unjitted-update
        print(change)
    return mean


# What no step holds calls it besides.
def clipped(gradients, mean):
    mean = 0.9 * mean + 0.1 * jnp.clip(gradients, -1.0, 1.0)
    return mean / (jnp.sqrt(jnp.abs(mean)) + 1e-8), mean


def train_clipped(params, count):
    mean = jnp.zeros(3)
    for _ in range(count):
        gradients = jax.grad(loss_of)(params)  # want: unjitted-update
        change, mean = clipped(gradients, mean)  # want: unjitted-update
        params = params - 0.1 * change
    return params, clipped(params, mean)


print(train_clipped(jnp.ones(3), 50))
print(train(jnp.ones(3), 50), train_scaled(jnp.ones(3), 50), smooth(list(jnp.ones((50, 3)))))
