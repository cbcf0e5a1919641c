"""Reads that cost nothing, happen seldom, or are of something else than what a step has made."""

import time

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def train_step(weights, batch):
    return weights * 0.5, jnp.mean(batch @ weights)


def kept_on_device(weights, batches):
    losses = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses.append(loss)
    return [float(loss) for loss in jax.device_get(losses)]


def every_so_many_steps(weights, batches):
    losses = []
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        if step % 10 == 0:
            losses.append(float(loss))
            print(f"{step}: {loss}")
    return losses


def once_an_epoch(weights, batches):
    losses = []
    for _ in range(20):
        for batch in batches:
            weights, loss = train_step(weights, batch)
        losses.append(float(loss))
    return losses


def of_numpy(rows):
    sizes = []
    for row in rows:
        sizes.append(float(np.sum(row)))
    return sizes


def of_the_step_before(weights, batches):
    first = None
    for batch in batches:
        if first is not None:
            print(first)
        first = np.mean(batch)
    return float(first)


def few(weights, batch):
    losses = []
    for _ in range(3):
        weights, loss = train_step(weights, batch)
        losses.append(float(loss))
    return losses


@jax.jit
def traced(weights, batches):
    total = 0.0
    for batch in batches:
        weights, loss = train_step(weights, batch)
        total += loss
    return total


def main():
    batches = jnp.ones((8, 4, 3))
    began = time.perf_counter()
    for run in (kept_on_device, every_so_many_steps, once_an_epoch):
        print(run(jnp.ones(3), batches))
    print(of_numpy(np.ones((3, 3))), of_the_step_before(0, batches), few(jnp.ones(3), batches[0]))
    print(traced(jnp.ones(3), batches), time.perf_counter() - began > 0)


if __name__ == "__main__":
    main()
