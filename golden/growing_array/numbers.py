"""Numbers that each iteration reads anyway: an array of them is made after the loop, and nothing is compiled for it."""

import jax
import jax.numpy as jnp


@jax.jit
def step(params, batch):
    loss, slope = jax.value_and_grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    return params - 0.1 * slope, loss


def with_a_sum(params, batches):
    losses = jnp.array([])
    total = 0.0
    for batch in batches:
        params, loss = step(params, batch)
        losses = jnp.append(losses, loss)  # want: growing-array
        total += float(loss)
    return losses, total


def with_a_line(params, batches):
    losses = jnp.zeros(0)
    for epoch in range(2):
        for batch in batches:
            params, loss = step(params, batch)
            value = float(loss)
            losses = jnp.append(losses, loss)  # want: growing-array
            print(f"{epoch}: {value:.6f}")
    return losses.mean(), losses[-10:].std()


def of_each_epoch(params, batches):
    for epoch in range(3):
        losses = jnp.zeros((0,))
        for batch in batches:
            params, loss = step(params, batch)
            losses = jnp.append(losses, loss)  # want: growing-array
            print(epoch, int(loss), float(loss))
            scaled = float(loss)
        print(losses.mean(), scaled)
    return params


def over_all_epochs(params, batches):
    losses = jnp.array([])
    for _ in range(3):
        for batch in batches:
            params, loss = step(params, batch)
            losses = jnp.append(losses, loss)  # want: growing-array
            value = float(loss)
        print(losses.mean(), value)
    return losses


def perhaps_complex(params, batches):
    losses = jnp.array([])
    for batch in batches:
        params, loss = step(params, batch)
        losses = jnp.append(losses, loss)  # want: growing-array
        print(f"{loss:.6f}")
    return losses


def read_at_times(params, batches):
    losses = jnp.array([])
    for number, batch in enumerate(batches):
        params, loss = step(params, batch)
        losses = jnp.append(losses, loss)  # want: growing-array
        if number % 100 == 0:
            value = float(loss)
            print(value)
    return losses


def read_as_another(params, batches):
    losses = jnp.array([])
    for batch in batches:
        params, loss = step(params, batch)
        losses = jnp.append(losses, loss)  # want: growing-array
        loss = jnp.real(loss)
        value = float(loss)
        print(value)
    return losses


def half_precise(params, batches):
    losses = jnp.array([], jnp.bfloat16)
    for batch in batches:
        params, loss = step(params, batch.astype(jnp.bfloat16))
        losses = jnp.append(losses, jnp.bfloat16(1.0) * loss)  # want: growing-array
        value = float(loss)
        print(value)
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
