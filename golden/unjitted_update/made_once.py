"""Optimizers that each call of a function makes: of constants once in the module, of an argument not at all."""

import jax
import jax.numpy as jnp
import optax

RATE = 0.05


def loss_of(params, batch):
    return jnp.mean((batch @ params) ** 2)


def fit(params, batches):
    optimizer = optax.adam(RATE)
    state = optimizer.init(params)
    for batch in batches:
        slopes = jax.grad(loss_of)(params, batch)  # want: unjitted-update
        updates, state = optimizer.update(slopes, state)
        params = optax.apply_updates(params, updates)
    return params


def fit_at(params, batches, rate):
    optimizer = optax.adam(rate)
    state = optimizer.init(params)
    for batch in batches:
        slopes = jax.grad(loss_of)(params, batch)  # want: unjitted-update (no fix): repeatedly
        updates, state = optimizer.update(slopes, state)
        params = optax.apply_updates(params, updates)
    return params


def fit_named(params, batches):
    named = optax.sgd(RATE)
    state = named.init(params)
    for batch in batches:
        slopes = jax.grad(loss_of)(params, batch)  # want: unjitted-update (no fix): repeatedly
        updates, state = named.update(slopes, state)
        params = optax.apply_updates(params, updates)
    return params


named = "another"

if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * i for i in range(10)]
    for member in range(5):
        begin = jnp.ones(3) * member
        print(named, fit(begin, batches), fit_at(begin, batches, 0.1 * member), fit_named(begin, batches))
