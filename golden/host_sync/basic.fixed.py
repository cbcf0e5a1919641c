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
    losses_on_device = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        losses_on_device.append(loss)
    losses.extend(float(loss) for loss in jax.device_get(losses_on_device))
    return weights, losses


def several(weights, batches):
    history = {"loss": [], "norm": []}
    loss_on_device = []
    norm_on_device = []
    for batch in batches:
        weights, metrics = measured_step(weights, batch)
        loss_on_device.append(metrics["loss"])
        norm_on_device.append(metrics["norm"])
    history["loss"].extend(value.item() for value in jax.device_get(loss_on_device))
    history["norm"].extend(float(value) for value in jax.device_get(norm_on_device))
    return weights, history


def numbered(weights, batches):
    rows = []
    scale = 2.0
    rows_on_device = []
    for number, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        # what is shown in a table
        rows_on_device.append((number, loss))
    rows.extend(
        {"step": number, "loss": scale * float(loss), "parts": (loss.item(), 0)}
        for number, loss in jax.device_get(rows_on_device)
    )
    return rows


def average(weights, batches):
    total = 0.0
    total_on_device = []
    for batch in batches:
        total_on_device.append(accuracy(weights, batch))
    for value in jax.device_get(total_on_device):
        total += value.item()
    return total / len(batches)


def logged(weights, batches):
    total, size = 0, 0
    total_on_device = []
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        total_on_device.append(loss)
        size += 1
        if step % 4 == 0 or step == len(batches) - 1:
            for value in jax.device_get(total_on_device):
                total = total + value.item()
            total_on_device.clear()
            print(step, total / size)
            total, size = 0, 0
    for value in jax.device_get(total_on_device):
        total = total + value.item()
    return weights


def shown(weights, batches):
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        if step % 4 == 0:
            shown_loss = float(loss)
            print(f"step {step}: {shown_loss:.3f}")
    return weights


def by_epoch(weights, batches):
    means = []
    for _ in range(4):
        losses = []
        losses_on_device = []
        for batch in batches:
            weights, loss = train_step(weights, batch)
            if len(batch) > 1:
                losses_on_device.append(-loss)
        losses.extend(float(np.asarray(value)) for value in jax.device_get(losses_on_device))
        means.append(np.mean(losses))
    return means


def of_two_words(weights, batches):
    history = {"a loss": list(), "others": []}
    history_on_device = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        history_on_device.append(loss)
    history["a loss"].extend(round(float(loss), 3) for loss in jax.device_get(history_on_device))
    return history


def by_size(weights, batches):
    total, sizes = 0.0, []
    total_on_device = []
    sizes_on_device = []
    for batch in batches:
        weights, loss = train_step(weights, batch)
        total_on_device.append((len(batch), loss))
        sizes_on_device.append((batch.shape[0], loss))
    for value, value_2 in jax.device_get(total_on_device):
        total += value_2.item() * value
    sizes.extend((value, float(value_2)) for value, value_2 in jax.device_get(sizes_on_device))
    return total, sizes


def long_and_logged(weights, batches):
    losses = []
    losses_on_device = []
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        losses_on_device.append(loss)
        if step % 4 == 0:
            losses.extend(float(loss) for loss in jax.device_get(losses_on_device))
            losses_on_device.clear()
            print(f"step {step}: {loss}")
    losses.extend(float(loss) for loss in jax.device_get(losses_on_device))
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
