"""States of a few numbers; and one of a size that is not in the text, which only a run makes worth a line."""

import jax
import jax.numpy as jnp
import optax


@jax.jit
def fit_step(point, moments):
    updates, moments = OPTIMIZER.update(jax.grad(lambda p: jnp.sum((p - 3.0) ** 2))(point), moments)
    return optax.apply_updates(point, updates), moments


OPTIMIZER = optax.adam(0.1)


def fit():
    point = jnp.zeros(3)
    moments = OPTIMIZER.init(point)
    for _ in range(100):
        point, moments = fit_step(point, moments)
    return point


def decay(count):
    step = jax.jit(lambda rows: rows * 0.9)  # want: undonated-state
    rows = jnp.ones(count)
    for _ in range(100):
        rows = step(rows)
    return rows


class Filter:
    def __init__(self, state, spread):
        self.state = jnp.array(state)
        self.spread = jnp.diag(jnp.array(spread))

    @staticmethod  # want: undonated-state (no fix)
    @jax.jit
    def moved(state, spread, seen):
        gain = spread @ jnp.linalg.inv(spread + jnp.eye(2))
        return state + gain @ (seen - state), spread - gain @ spread

    def follow(self, measured):
        for seen in measured:
            self.state, self.spread = self.moved(self.state, self.spread, seen)
        return self.state


print(fit(), decay(4).sum(), Filter([0.0, 0.0], [1.0, 1.0]).follow(jnp.ones((4, 2))))
