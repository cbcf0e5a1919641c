"""A training loop that keeps its losses, logs their average, and measures how accurate it has become."""

import jax
import jax.numpy as jnp


@jax.jit
def train_step(weights, batch):
    loss, slope = jax.value_and_grad(lambda w: jnp.mean((batch @ w - 1) ** 2))(weights)
    return weights - 0.01 * slope, loss


@jax.jit
def accuracy(weights, batch):
    return jnp.mean(jnp.abs(batch @ weights - 1) < 0.5)


def train(weights, batches):
    losses, total = [], 0.0
    losses_on_device = []
    total_on_device = []
    for step, batch in enumerate(batches):
        weights, loss = train_step(weights, batch)
        losses_on_device.append(loss)
        total_on_device.append(loss)
        if step % 10 == 9:
            losses.extend(float(loss) for loss in jax.device_get(losses_on_device))
            losses_on_device.clear()
            for value in jax.device_get(total_on_device):
                total += value.item()
            total_on_device.clear()
            print(f"{step}: {total / 10:.5f}")
            total = 0.0
    losses.extend(float(loss) for loss in jax.device_get(losses_on_device))
    for value in jax.device_get(total_on_device):
        total += value.item()
    return weights, losses


def evaluate(weights, batches):
    total = 0
    total_on_device = []
    for batch in batches:
        total_on_device.append(accuracy(weights, batch))
    for value in jax.device_get(total_on_device):
        total += value.item()
    return total / len(batches)


def main():
    batches = jax.random.normal(jax.random.key(0), (40, 8, 3))
    weights, losses = train(jnp.zeros(3), list(batches))
    print(losses[0], losses[-1], evaluate(weights, list(batches)))


if __name__ == "__main__":
    main()
