"""A gradient and its update, each under a `jit` of its own."""

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


def loss_of(weights, batch):
    return jnp.mean((jnp.tanh(batch @ weights["first"]) @ weights["second"] - 1.0) ** 2)


gradient = jax.jit(jax.value_and_grad(loss_of))


@jax.jit
def update(weights, state, slopes):
    updates, state = optimizer.update(slopes, state, weights)
    return optax.apply_updates(weights, updates), state


def train(batch):
    weights = {"first": 0.1 * jnp.ones((64, 128)), "second": 0.1 * jnp.ones((128, 16))}
    state = optimizer.init(weights)
    for number in range(60):
        loss, slopes = gradient(weights, batch)
        weights, state = update(weights, state, slopes)
        print(f"step {number}: {loss}")


train(jax.random.normal(jax.random.key(0), (32, 64)))
