"""A step that each restart creates again, of an optimizer that stays the same; one of another optimizer each time."""

import jax
import jax.numpy as jnp


def fit_all(data, optimizer, model, starts):
    def objective(x):
        return model(x, data)

    def optimized(x):
        state = optimizer.init(x)

        @jax.jit  # want: local-jit (no fix): more than a number
        def step(x, state):
            gradient = jax.grad(objective)(x)
            updates, state = optimizer.update(gradient, state, x)
            return x + updates, state

        for _ in range(100):
            x, state = step(x, state)
        return x

    return [optimized(start) for start in starts]


def fit_each(data, optimizers, start):
    def optimized(x, optimizer):
        state = optimizer.init(x)

        @jax.jit  # want: local-jit (no fix): `optimizer.update` as a function
        def step(x, state):
            updates, state = optimizer.update(2 * x * data, state, x)
            return x + updates, state

        for _ in range(100):
            x, state = step(x, state)
        return x

    return jnp.stack([optimized(start, optimizer) for optimizer in optimizers])
