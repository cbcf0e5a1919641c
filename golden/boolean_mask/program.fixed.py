"""Losses above thresholds, each of which selects another number of elements."""

import jax
import jax.numpy as jnp


def tail_mean(losses, limit):
    return jnp.mean(losses, where=jnp.broadcast_to(losses > limit, losses.shape))


def count_all(losses, limit):
    large = losses > limit
    return jnp.all(losses, where=jnp.broadcast_to(large, losses.shape))


def main():
    losses = jax.random.normal(jax.random.key(0), (1000,)) ** 2
    for i in range(10):
        print(f"{tail_mean(losses, 0.1 * i):.3f}", count_all(losses, 0.1 * i))


if __name__ == "__main__":
    main()
