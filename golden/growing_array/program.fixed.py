"""Losses of an evaluation that are appended to an array, and rows of a trajectory."""

import jax
import jax.numpy as jnp


def evaluate(weights, batches):
    losses = jnp.array([])
    losses_parts = [losses]
    for batch in batches:
        losses_parts.append(jnp.ravel(jnp.mean((batch @ weights) ** 2)))
    losses = jnp.concatenate(losses_parts)
    return losses


def trajectory(start, steps):
    rows = start[None]
    position = start
    rows_parts = [rows]
    for _ in range(steps):
        position = 0.9 * position + 0.1
        rows_parts.append(jnp.copy(position[None]))
    if len(rows_parts) > 1:
        rows = jnp.concatenate(rows_parts)
    return rows


def main():
    batches = [jax.random.normal(jax.random.key(i), (8, 3)) for i in range(12)]
    print(evaluate(jnp.ones(3), batches))
    print(trajectory(jnp.arange(3.0), 9))


if __name__ == "__main__":
    main()
