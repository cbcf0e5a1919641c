"""Optimizers as people unpack them, and states that update themselves."""

import jax
import jax.numpy as jnp
import optax
from jax.example_libraries import optimizers


def loss_of(params, batch):
    return jnp.mean((batch * params) ** 2)


# Two functions.
def train_pair(params, batches):
    opt_init, opt_update = optax.chain(optax.clip(1.0), optax.adam(1e-3))
    state = opt_init(params)
    for batch in batches:
        loss, slopes = jax.value_and_grad(loss_of)(params, batch)  # want: unjitted-update
        updates, state = opt_update(slopes, state)
        params = optax.apply_updates(params, updates)
        print(loss)
    return params


# Only its updates are eager.
def train_pair_half(params, batches):
    init, change = optax.adam(1e-3)
    gradient_of = jax.jit(jax.grad(loss_of))
    state = init(params)
    for batch in batches:
        slopes = gradient_of(params, batch)
        updates, state = change(slopes, state)  # want: unjitted-update
        params = optax.apply_updates(params, updates)
    return params


# Three functions.
opt_init, opt_update, get_params = optimizers.adam(1e-3)


def train_triple(params, batches):
    state = opt_init(params)
    for number, batch in enumerate(batches):
        params = get_params(state)
        slopes = jax.grad(loss_of)(params, batch)  # want: unjitted-update
        state = opt_update(number, slopes, state)
    return get_params(state)


# A chain that is bound twice.
def train_twice(params, batches):
    tx = optax.adam(1e-3)
    tx = optax.chain(optax.clip(1.0), tx)
    state = tx.init(params)
    for batch in batches:
        slopes = jax.grad(loss_of)(params, batch)  # want: unjitted-update
        updates, state = tx.update(slopes, state)
        params = optax.apply_updates(params, updates)
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 5
    train_pair(jnp.ones(3), batches)
    train_pair_half(jnp.ones(3), batches)
    train_triple(jnp.ones(3), batches)
    train_twice(jnp.ones(3), batches)
