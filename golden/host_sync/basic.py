"""Values that loops around a jitted step read in each iteration."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def train_step(weights, batch):
    loss, slope = jax.value_and_grad(lambda w: jnp.mean((batch @ w) ** 2))(weights)
    return weights - 0.1 * slope, loss


@partial(jax.jit, donate_argnums=0)
def measured_step(weights, batch):
    return weights * 0.5, {"loss": jnp.mean(batch @ weights), "norm": jnp.sum(weights)}


@jax.jit
def accuracy(weights, batch):
    return jnp.mean(batch @ weights > 0)


def train(weights, batches):
    losses = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync
    return weights, losses


def several(weights, batches):
    history = {"loss": [], "norm": []}
    for batch in batches:
        weights, metrics = measured_step(weights, batch)
        history["loss"].append(metrics["loss"].item())  # want: host-sync
        history["norm"].append(float(metrics["norm"]))
    return weights, history


def numbered(weights, batches):
    rows = []
    scale = 2.0
    for number, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        # what is shown in a table
        rows.append({"step": number, "loss": scale * float(loss), "parts": (loss.item(), 0)})  # want: host-sync
    return rows


def average(weights, batches):
    total = 0.0
    for batch in batches:
        total += accuracy(weights, batch).item()  # want: host-sync
    return total / len(batches)


def logged(weights, batches):
    total, size = 0, 0
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        total = total + loss.item()  # want: host-sync
        size += 1
        if step % 4 == 0 or step == len(batches) - 1:
            print(step, total / size)
            total, size = 0, 0
    return weights


def shown(weights, batches):
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        shown_loss = float(loss)  # want: host-sync
        if step % 4 == 0:
            print(f"step {step}: {shown_loss:.3f}")
    return weights


def by_epoch(weights, batches):
    means = []
    for _ in range(4):
        losses = []
        for batch in batches:
            weights, loss = train_step(weights, batch)
            if len(batch) > 1:
                losses.append(float(np.asarray(-loss)))  # want: host-sync
        means.append(np.mean(losses))
    return means


def of_two_words(weights, batches):
    history = {"a loss": list(), "others": []}
    for batch in batches:
        weights, loss = train_step(weights, batch)
        history["a loss"].append(round(float(loss), 3))  # want: host-sync
    return history


def by_size(weights, batches):
    total, sizes = 0.0, []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        total += loss.item() * len(batch)  # want: host-sync
        sizes.append((batch.shape[0], float(loss)))
    return total, sizes


def long_and_logged(weights, batches):
    losses = []
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))  # want: host-sync
        if step % 4 == 0:
            print(f"step {step}: {loss}")
    return losses


def main():
    batches = jnp.ones((8, 4, 3))
    print(train(jnp.ones(3), batches)[1], several(jnp.ones(3), batches)[1], numbered(jnp.ones(3), batches))
    print(average(jnp.ones(3), batches), by_epoch(jnp.ones(3), batches), of_two_words(jnp.ones(3), batches))
    print(by_size(jnp.ones(3), batches), long_and_logged(jnp.ones(3), batches))
    logged(jnp.ones(3), batches)
    shown(jnp.ones(3), batches)


if __name__ == "__main__":
    main()
