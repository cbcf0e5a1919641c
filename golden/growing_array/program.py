"""Losses of an evaluation that are appended to an array, and rows of a trajectory."""

import jax
import jax.numpy as jnp


def evaluate(weights, batches):
    losses = jnp.array([])
    for batch in batches:
        losses = jnp.append(losses, jnp.mean((batch @ weights) ** 2))  # want: growing-array
    return losses


def trajectory(start, steps):
    rows = start[None]
    position = start
    for _ in range(steps):
        position = 0.9 * position + 0.1
        rows = jnp.concatenate([rows, position[None]])  # want: growing-array
    return rows


def main():
    batches = [jax.random.normal(jax.random.key(i), (8, 3)) for i in range(12)]
    print(evaluate(jnp.ones(3), batches))
    print(trajectory(jnp.arange(3.0), 9))


if __name__ == "__main__":
    main()
