"""Steps that a `functools.partial` gives their options."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="rate")
def step(weights, batch, rate):
    loss, slope = jax.value_and_grad(lambda w: jnp.mean((batch @ w) ** 2))(weights)
    return weights - rate * slope, loss


def plain(weights, batch, rate):
    return weights, float(rate)


def train(weights, batches):
    update = functools.partial(step, rate=0.1)
    losses, total = [], 0.0
    losses_on_device = []
    total_on_device = []
    for batch in batches:
        weights, loss = update(weights, batch)
        losses_on_device.append(loss)
        total_on_device.append(loss)
    losses.extend(float(loss) for loss in jax.device_get(losses_on_device))
    for value in jax.device_get(total_on_device):
        total += value.item()
    return weights, losses, total


def host(weights, batches):
    update = functools.partial(plain, rate=0.1)
    losses = []
    for batch in batches:
        weights, loss = update(weights, batch)
        losses.append(float(loss))
    return weights, losses


print(train(jnp.ones(3), jnp.ones((8, 4, 3)))[1], host(jnp.ones(3), jnp.ones((8, 4, 3)))[1])
