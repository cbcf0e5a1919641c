"""Numbers that each iteration reads anyway: an array of them is made after the loop, and nothing is compiled for it."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(params, batch):
    loss, slope = jax.value_and_grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    return params - 0.1 * slope, loss


def with_a_sum(params, batches):
    losses_parts = []
    total = 0.0
    for batch in batches:
        params, loss = step(params, batch)
        losses_parts.append(loss)
        total += float(loss)
    losses = jnp.asarray(np.ravel(jax.device_get(losses_parts)), dtype=float)
    return losses, total


def with_a_line(params, batches):
    losses_parts = []
    for epoch in range(2):
        for batch in batches:
            params, loss = step(params, batch)
            value = float(loss)
            losses_parts.append(loss)
            print(f"{epoch}: {value:.6f}")
    losses = jnp.asarray(np.ravel(jax.device_get(losses_parts)), dtype=float)
    return losses.mean(), losses[-10:].std()


def of_each_epoch(params, batches):
    for epoch in range(3):
        losses_parts = []
        for batch in batches:
            params, loss = step(params, batch)
            losses_parts.append(loss)
            print(epoch, int(loss), float(loss))
            scaled = float(loss)
        losses = jnp.asarray(np.ravel(jax.device_get(losses_parts)), dtype=float)
        print(losses.mean(), scaled)
    return params


def over_all_epochs(params, batches):
    losses = jnp.array([])
    for _ in range(3):
        losses_parts = [losses]
        for batch in batches:
            params, loss = step(params, batch)
            losses_parts.append(jnp.ravel(loss))
            value = float(loss)
        losses = jnp.concatenate(losses_parts)
        print(losses.mean(), value)
    return losses


def perhaps_complex(params, batches):
    losses = jnp.array([])
    losses_parts = [losses]
    for batch in batches:
        params, loss = step(params, batch)
        losses_parts.append(jnp.ravel(loss))
        print(f"{loss:.6f}")
    losses = jnp.concatenate(losses_parts)
    return losses


def read_at_times(params, batches):
    losses = jnp.array([])
    losses_parts = [losses]
    for number, batch in enumerate(batches):
        params, loss = step(params, batch)
        losses_parts.append(jnp.ravel(loss))
        if number % 100 == 0:
            value = float(loss)
            print(value)
    losses = jnp.concatenate(losses_parts)
    return losses


def read_as_another(params, batches):
    losses = jnp.array([])
    losses_parts = [losses]
    for batch in batches:
        params, loss = step(params, batch)
        losses_parts.append(jnp.ravel(loss))
        loss = jnp.real(loss)
        value = float(loss)
        print(value)
    losses = jnp.concatenate(losses_parts)
    return losses


def half_precise(params, batches):
    losses = jnp.array([], jnp.bfloat16)
    losses_parts = [losses]
    for batch in batches:
        params, loss = step(params, batch.astype(jnp.bfloat16))
        losses_parts.append(jnp.ravel(jnp.bfloat16(1.0) * loss))
        value = float(loss)
        print(value)
    losses = jnp.concatenate(losses_parts)
    return losses


params, batches = jnp.ones(3), list(jnp.ones((40, 4, 3)))
with_a_sum(params, batches)
with_a_line(params, batches)
of_each_epoch(params, batches)
over_all_epochs(params, batches)
perhaps_complex(params, batches)
read_at_times(params, batches)
read_as_another(params, batches)
half_precise(params, batches)
