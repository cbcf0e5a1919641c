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
    for batch in batches:
        loss, gradients = jax.value_and_grad(loss_of)(params, batch)  # want: unjitted-update
        total += loss
        updates, state = optimizer.update(gradients, state)
        params = optax.apply_updates(params, updates)
    return params, total / len(batches)


# A running mean, and one that begins in each epoch.
def running(params, batches):
    mean = 0
    for epoch in range(10):
        best = float("inf")
        for batch in batches:
            loss, gradients = jax.value_and_grad(loss_of)(params, batch)  # want: unjitted-update
            params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
            mean = 0.9 * mean + 0.1 * loss
            best = jnp.minimum(best, loss)
        print(epoch, mean, best)
    return params


# The step reads it: it is an argument.
def scaled(params, batches):
    scale = 1.0
    for batch in batches:
        loss, gradients = jax.value_and_grad(loss_of)(params, batch)  # want: unjitted-update
        scale = 0.9 * scale + 0.1 * loss
        params = jax.tree.map(lambda p, g: p - 0.1 * g / scale, params, gradients)
    return params


# equinox takes a Python number for a static argument.
def meta(model, batches):
    optimizer = optax.adam(0.1)
    state = optimizer.init(eqx.filter(model, eqx.is_array))
    total = 0.0
    for batch in batches:
        loss, gradients = eqx.filter_value_and_grad(loss_of)(model, batch)  # want: unjitted-update
        updates, state = optimizer.update(gradients, state)
        model = eqx.apply_updates(model, updates)
        total += loss
    print(total)
    return model


# An array from the start is a part of the state.
def of_arrays(params, batches):
    total = jnp.zeros(())
    for batch in batches:
        loss, gradients = jax.value_and_grad(loss_of)(params, batch)  # want: unjitted-update
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
        total = total + loss
    return params, total


def main():
    batches = [jnp.ones((2, 3))] * 20
    params, _ = mean_loss(jnp.ones(3), batches)
    params, _ = of_arrays(running(scaled(params, batches), batches), batches)
    print(meta(params, batches))


main()
