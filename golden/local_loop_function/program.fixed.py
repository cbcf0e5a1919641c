"""A training loop whose filter compiles a new `scan` at every step."""

import jax
import jax.numpy as jnp


def _smooth_body(carry, x):
    state, gain = carry
    state = state + gain * (x - state)
    return (state, gain), state


def smooth(signal, gain):
    (_, *_), smoothed = jax.lax.scan(
        _smooth_body, (jnp.zeros(()), gain), signal
    )  # want: local-loop-function
    return smoothed


def loss(weights, batch, targets):
    return jnp.mean((batch @ weights - targets) ** 2)


def train(steps):
    key = jax.random.PRNGKey(0)
    weights = jnp.zeros(8)
    gradient = jax.jit(jax.grad(loss))
    for step in range(steps):
        key, subkey = jax.random.split(key)
        batch = jax.random.normal(subkey, (32, 8))
        targets = smooth(batch.sum(axis=1), 0.1 + 0.01 * step)
        weights = weights - 0.05 * gradient(weights, batch, targets)
    return weights


if __name__ == "__main__":
    print(train(20))
