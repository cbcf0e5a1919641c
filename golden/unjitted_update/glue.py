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


# The report stays where it is.
def descend(params, batches):
    history = []
    for number, batch in enumerate(batches):
        loss, slopes = value_and_slope(params, batch)
        params = jax.tree.map(lambda p, g: p - RATE * g, params, slopes)  # want: unjitted-update
        if number % 100 == 0:
            print(number, float(loss))
        history.append(loss)
    return params, history


# What is printed between is printed after the step: nothing that it reads is bound again.
def descend_talking(params, batches):
    for batch in batches:
        loss, slopes = value_and_slope(params, batch)
        print(f"loss {loss:.3f}")
        params = jax.tree.map(lambda p, g: p - RATE * g, params, slopes)  # want: unjitted-update
    return params


# Moments by hand, an average, a norm, and a rate that decays.
def train(params, batches):
    gradient_of = jax.jit(jax.grad(loss_of))
    momentum = jax.tree.map(jnp.zeros_like, params)
    average = params
    for number, batch in enumerate(batches):
        slopes = gradient_of(params, batch)
        norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(slopes)))  # want: unjitted-update
        rate = RATE / (1.0 + 0.1 * number)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g / (norm + 1.0), momentum, slopes)
        params = jax.tree.map(lambda p, m: p - rate * m, params, momentum)
        average = jax.tree.map(lambda a, p: 0.99 * a + 0.01 * p, average, params)
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
    for batch in batches:
        _, slopes = value_and_slope(params, batch)
        updates, state = tx.update(slopes, state)  # want: unjitted-update
        params = optax.apply_updates(params, updates)
    return params


# What comes from Python stays outside.
def train_rows(params, rows):
    for row in rows:
        batch = jnp.asarray(row["values"]) / 255.0
        loss, slopes = value_and_slope(params, batch)
        params = jax.tree.map(lambda p, g: p - RATE * g, params, slopes)  # want: unjitted-update
    return params


# The gradient is made in each round.
def train_made(params, batches):
    for batch in batches:
        gradient_of = jax.grad(loss_of)
        slopes = gradient_of(params, batch)  # want: unjitted-update
        params = jax.tree.map(lambda p, g: p - RATE * g, params, slopes)
    return params


if __name__ == "__main__":
    batches = [jnp.ones((4, 3)) * number for number in range(5)]
    descend(start(), batches)
    descend_talking(start(), batches)
    train(start(), batches)
    train_either(start(), batches, True)
    train_made(start(), batches)
    train_rows(start(), [{"name": "first", "values": [[1.0, 2.0, 3.0]]}] * 5)
