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

    @jax.jit
    def train_step(params, state, batch):
        loss, slopes = jax.value_and_grad(loss_of)(params, batch)
        updates, state = opt_update(slopes, state)
        params = optax.apply_updates(params, updates)
        return params, state, loss

    for batch in batches:
        params, state, loss = train_step(params, state, batch)
        print(loss)
    return params


# Only its updates are eager.
def train_pair_half(params, batches):
    init, change = optax.adam(1e-3)
    gradient_of = jax.jit(jax.grad(loss_of))
    state = init(params)

    @jax.jit
    def train_pair_half_step(params, state, batch):
        slopes = gradient_of(params, batch)
        updates, state = change(slopes, state)
        params = optax.apply_updates(params, updates)
        return params, state

    for batch in batches:
        params, state = train_pair_half_step(params, state, batch)
    return params


# Three functions.
opt_init, opt_update, get_params = optimizers.adam(1e-3)


@jax.jit
def train_triple_step(state, batch, number):
    params = get_params(state)
    slopes = jax.grad(loss_of)(params, batch)
    return opt_update(number, slopes, state)


def train_triple(params, batches):
    state = opt_init(params)
    for number, batch in enumerate(batches):
        state = train_triple_step(state, batch, number)
    return get_params(state)


# A chain that is bound twice.
def train_twice(params, batches):
    tx = optax.adam(1e-3)
    tx = optax.chain(optax.clip(1.0), tx)
    state = tx.init(params)

    @jax.jit
    def train_twice_step(params, state, batch):
        slopes = jax.grad(loss_of)(params, batch)
        updates, state = tx.update(slopes, state)
        params = optax.apply_updates(params, updates)
        return params, state

    for batch in batches:
        params, state = train_twice_step(params, state, batch)
    return params


if __name__ == "__main__":
    batches = [jnp.ones(3)] * 5
    train_pair(jnp.ones(3), batches)
    train_pair_half(jnp.ones(3), batches)
    train_triple(jnp.ones(3), batches)
    train_twice(jnp.ones(3), batches)
