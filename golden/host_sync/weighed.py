"""Sums of values that are weighed by the length of their batch, which an iteration names first."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def eval_step(weights, batch):
    loss = jnp.mean((batch["x"] @ weights - batch["y"]) ** 2)
    return loss, jnp.mean(loss < 1.0)


def by_a_name(weights, batches):
    total, right, count = 0, 0.0, 0
    for batch in batches:
        loss, accuracy = eval_step(weights, batch)
        size = batch["x"].shape[0]
        total += loss.item() * size  # want: host-sync
        right += size * float(accuracy)
        count += size
    return total / count, right / count


def by_its_length(weights, batches):
    total, count = 0.0, 0
    for batch in batches:
        loss, _ = eval_step(weights, batch)
        total += float(loss) * len(batch["x"])  # want: host-sync
        count += len(batch["x"])
    return total / count


def by_a_part_of_an_object(weights, loader):
    total = 0.0
    for batch in loader.batches:
        loss, _ = eval_step(weights, {"x": batch.inputs, "y": batch.targets})
        total += float(loss) * batch.inputs.shape[0]  # want: host-sync
    return total


# What an iteration names may be anything, another one later, or one of two.
def by_a_weight(weights, batches, shares):
    total = 0.0
    for number, batch in enumerate(batches):
        loss, _ = eval_step(weights, batch)
        share = shares[number]
        total += float(loss) * share  # want: host-sync (no fix): `share` may differ after the loop
    return total


def by_what_is_bound_later(weights, batches):
    total, size = 0.0, 0
    for batch in batches:
        loss, _ = eval_step(weights, batch)
        total += float(loss) * size  # want: host-sync (no fix): `size` may differ after the loop
        size = len(batch["x"])
    return total


def by_one_of_two(weights, batches):
    total = 0.0
    for batch in batches:
        loss, _ = eval_step(weights, batch)
        size = len(batch["x"])
        if "mask" in batch:
            size = np.sum(batch["mask"])
        total += float(loss) * size  # want: host-sync (no fix): `size` may differ after the loop
    return total


def by_a_call(weights, batches):
    total = 0.0
    for batch in batches:
        loss, _ = eval_step(weights, batch)
        total += float(loss) * len(next(batches))  # want: host-sync (no fix): may differ after the loop
    return total


if __name__ == "__main__":
    batches = [{"x": jnp.ones((size, 3)), "y": jnp.zeros(size)} for size in (4, 4, 2)]
    print(by_a_name(jnp.ones(3), batches), by_its_length(jnp.ones(3), batches))
