"""Sums that begin as a Python number stay outside: `jit` would compile the step for the number, then for the array."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


def loss_of(params, batch):
    return jnp.mean((batch @ params) ** 2)


def mean_loss(params, batches):
    optimizer = optax.adam(0.1)
    state = optimizer.init(params)
    total = 0.0

    @jax.jit
    def train_step(params, state, batch):
        loss, gradients = jax.value_and_grad(loss_of)(params, batch)
        updates, state = optimizer.update(gradients, state)
        params = optax.apply_updates(params, updates)
        return params, state, loss

    for batch in batches:
        params, state, loss = train_step(params, state, batch)
        total += loss
    return params, total / len(batches)


@jax.jit
def running_step(params, batch):
    loss, gradients = jax.value_and_grad(loss_of)(params, batch)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    return params, loss


# A running mean, and one that begins in each epoch.
def running(params, batches):
    mean = 0
    for epoch in range(10):
        best = float("inf")
        for batch in batches:
            params, loss = running_step(params, batch)
            mean = 0.9 * mean + 0.1 * loss
            best = jnp.minimum(best, loss)
        print(epoch, mean, best)
    return params


@jax.jit
def scaled_step(params, scale, batch):
    loss, gradients = jax.value_and_grad(loss_of)(params, batch)
    scale = 0.9 * scale + 0.1 * loss
    params = jax.tree.map(lambda p, g: p - 0.1 * g / scale, params, gradients)
    return params, scale


# The step reads it: it is an argument.
def scaled(params, batches):
    scale = 1.0
    for batch in batches:
        params, scale = scaled_step(params, scale, batch)
    return params


# equinox takes a Python number for a static argument.
def meta(model, batches):
    optimizer = optax.adam(0.1)
    state = optimizer.init(eqx.filter(model, eqx.is_array))
    total = 0.0

    @eqx.filter_jit
    def meta_step(model, state, batch):
        loss, gradients = eqx.filter_value_and_grad(loss_of)(model, batch)
        updates, state = optimizer.update(gradients, state)
        model = eqx.apply_updates(model, updates)
        return model, state, loss

    for batch in batches:
        model, state, loss = meta_step(model, state, batch)
        total += loss
    print(total)
    return model


@jax.jit
def of_arrays_step(params, total, batch):
    loss, gradients = jax.value_and_grad(loss_of)(params, batch)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    total = total + loss
    return params, total


# An array from the start is a part of the state.
def of_arrays(params, batches):
    total = jnp.zeros(())
    for batch in batches:
        params, total = of_arrays_step(params, total, batch)
    return params, total


def main():
    batches = [jnp.ones((2, 3))] * 20
    params, _ = mean_loss(jnp.ones(3), batches)
    params, _ = of_arrays(running(scaled(params, batches), batches), batches)
    print(meta(params, batches))


main()
