"""Steps that are methods, beside methods of other objects that have their name."""

import functools

import jax
import jax.numpy as jnp
import optax


class _Agent:
    def __init__(self, rate):
        self.optimizer = optax.adam(rate)

    @functools.partial(jax.jit, static_argnums=0)  # want: undonated-state
    def update(self, params, state, batch):
        gradients = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
        updates, state = self.optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state

    def fit(self, batches):
        params = jnp.ones((1000, 1000))
        state = self.optimizer.init(params)
        for batch in batches:
            params, state = self.update(params, state, batch)
        return params


class _Given:
    def __init__(self, rule):
        self.rule = rule
        self.step = jax.jit(rule.refine)

    @functools.partial(jax.jit, static_argnums=0)  # want: undonated-state (no fix): `rule.refine` in line 31 may be `refine`
    def refine(self, params):
        return params * 0.9

    def fit(self):
        params = jnp.ones((1000, 1000))
        for _ in range(3):
            params = self.refine(params)
        return params


if __name__ == "__main__":
    print(_Agent(0.1).fit(jnp.ones((4, 3, 1000))).sum())
