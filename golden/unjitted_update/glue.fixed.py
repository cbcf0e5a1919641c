"""Eager work around gradients that are jitted: updates by hand, averages, norms, schedules, reports."""

import jax
import jax.numpy as jnp
import optax

RATE = 0.1


def loss_of(params, batch):
    return jnp.mean((batch @ params["w"] + params["b"]) ** 2)


def start():
    return {"w": jnp.zeros(3), "b": jnp.zeros(())}


value_and_slope = jax.jit(jax.value_and_grad(loss_of))


@jax.jit
def descend_step(params, batch):
    loss, slopes = value_and_slope(params, batch)
    params = jax.tree.map(lambda p, g: p - RATE * g, params, slopes)
    return params, loss


# The report stays where it is.
def descend(params, batches):
    history = []
    for number, batch in enumerate(batches):
        params, loss = descend_step(params, batch)
        if number % 100 == 0:
            print(number, float(loss))
        history.append(loss)
    return params, history


@jax.jit
def descend_talking_step(params, batch):
    loss, slopes = value_and_slope(params, batch)
    params = jax.tree.map(lambda p, g: p - RATE * g, params, slopes)
    return params, loss


# What is printed between is printed after the step: nothing that it reads is bound again.
def descend_talking(params, batches):
    for batch in batches:
        params, loss = descend_talking_step(params, batch)
        print(f"loss {loss:.3f}")
    return params


# Moments by hand, an average, a norm, and a rate that decays.
def train(params, batches):
    gradient_of = jax.jit(jax.grad(loss_of))
    momentum = jax.tree.map(jnp.zeros_like, params)
    average = params

    @jax.jit
    def update_step(params, momentum, average, batch, rate):
        slopes = gradient_of(params, batch)
        norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(slopes)))
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g / (norm + 1.0), momentum, slopes)
        params = jax.tree.map(lambda p, m: p - rate * m, params, momentum)
        average = jax.tree.map(lambda a, p: 0.99 * a + 0.01 * p, average, params)
        return params, momentum, average, norm

    for number, batch in enumerate(batches):
        rate = RATE / (1.0 + 0.1 * number)
        params, momentum, average, norm = update_step(params, momentum, average, batch, rate)
        if number % 10 == 0:
            print(norm)
    return average


# The optimizer is chosen before the loop.
def train_either(params, batches, adaptive):
    if adaptive:
        tx = optax.adam(1e-3)
    else:
        tx = optax.sgd(1e-2)
    state = tx.init(params)

    @jax.jit
    def train_step(params, state, batch):
        _, slopes = value_and_slope(params, batch)
        updates, state = tx.update(slopes, state)
        params = optax.apply_updates(params, updates)
        return params, state

    for batch in batches:
        params, state = train_step(params, state, batch)
    return params


@jax.jit
def train_rows_step(params, batch):
    loss, slopes = value_and_slope(params, batch)
    return jax.tree.map(lambda p, g: p - RATE * g, params, slopes)


# What comes from Python stays outside.
def train_rows(params, rows):
    for row in rows:
        batch = jnp.asarray(row["values"]) / 255.0
        params = train_rows_step(params, batch)
    return params


@jax.jit
def train_made_step(params, batch):
    gradient_of = jax.grad(loss_of)
    slopes = gradient_of(params, batch)
    return jax.tree.map(lambda p, g: p - RATE * g, params, slopes)


# The gradient is made in each round.
def train_made(params, batches):
    for batch in batches:
        params = train_made_step(params, batch)
    return params


if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * number for number in range(5)]
    descend(start(), batches)
    descend_talking(start(), batches)
    train(start(), batches)
    train_either(start(), batches, True)
    train_made(start(), batches)
    train_rows(start(), [{"name": "first", "values": [[1.0, 2.0, 3.0]]}] * 5)
