"""A test: it is called once, for a few rounds, and may run eagerly on purpose."""

import jax
import jax.numpy as jnp
import optax


def loss_of(params):
    return jnp.sum(params**2)


class TrainingTest:
    def test_loss_falls(self):
        optimizer = optax.sgd(0.1)
        params = jnp.ones(3)
        state = optimizer.init(params)
        for _ in range(5):
            gradients = jax.grad(loss_of)(params)
            updates, state = optimizer.update(gradients, state)
            params = optax.apply_updates(params, updates)
        assert loss_of(params) < 3.0
