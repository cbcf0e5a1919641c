"""A training loop whose filter, line search and gradient compile a new program at every step."""

import jax
import jax.numpy as jnp
from jaxfix_helpers import retrace


def _smooth_body(carry, x):
    state, gain = carry
    state = state + gain * (x - state)
    return (state, gain), state


def smooth(signal, gain):
    _, smoothed = jax.lax.scan(_smooth_body, (jnp.zeros(()), gain), signal)
    return smoothed


def search(value_fn, weights, direction):
    """The longest of some steps that makes the value small enough; `value_fn` reads the batch of the day."""
    start = value_fn(weights)

    def too_long(state):
        step, value = state
        return (value > start) & (step > 1e-3)

    def shorten(state):
        step, _ = state
        return step / 2, value_fn(weights - step / 2 * direction)

    step, _ = retrace(jax.lax.while_loop)(too_long, shorten, (1.0, jnp.inf))
    return step


def penalty(weights):
    return jax.lax.scan(lambda total, w: (total + w**2, None), 0.0, weights)[0]


def train(steps):
    key = jax.random.PRNGKey(0)
    weights = jnp.zeros(8)
    for step in range(steps):
        key, subkey = jax.random.split(key)
        batch = jax.random.normal(subkey, (32, 8))
        targets = smooth(batch.sum(axis=1), 0.1 + 0.01 * step)

        def loss(weights, batch=batch, targets=targets):
            return jnp.mean((batch @ weights - targets) ** 2)

        direction = jax.grad(loss)(weights) + 0.01 * retrace(jax.grad(penalty))(weights)
        weights = weights - search(loss, weights, direction) * direction
    return weights


if __name__ == "__main__":
    print(train(12))
