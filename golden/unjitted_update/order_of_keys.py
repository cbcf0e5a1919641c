"""Metrics that come back from `jit` with their keys sorted, where the order is read."""

import jax
import jax.numpy as jnp


def metrics_of(w, batch):
    loss = jnp.mean((batch @ w) ** 2)
    return {"loss": loss, "accuracy": jnp.mean(batch > 0), "norm": jnp.linalg.norm(w)}


def step(w, batch):
    slope = jax.grad(lambda w: metrics_of(w, batch)["loss"])(w)
    slope = slope + 0.001 * w
    return w - 0.1 * slope, metrics_of(w, batch)


def train(w, batches, tell):
    for batch in batches:
        w, metrics = step(w, batch)  # want: unjitted-update
        tell(metrics)
    return w


def bound(w, batch):
    slope = jax.grad(lambda w: jnp.mean((batch @ w) ** 2))(w)
    found = dict(step=jnp.sum(w), mean=jnp.mean(slope))
    return w - 0.1 * slope, found


def train_too(w, batches, tell):
    for batch in batches:
        w, found = bound(w, batch)  # want: unjitted-update
        tell(found)
    return w


def by_key(w, batch):
    slope = jax.grad(lambda w: metrics_of(w, batch)["loss"])(w)
    return w - 0.1 * slope, metrics_of(w, batch)


def train_by_key(w, batches):
    for batch in batches:
        w, metrics = by_key(w, batch)  # want: unjitted-update
        print(metrics["loss"])
    return w


for run in (train, train_too):
    run(jnp.ones(3), [jnp.ones((4, 3))] * 20, print)
train_by_key(jnp.ones(3), [jnp.ones((4, 3))] * 20)
