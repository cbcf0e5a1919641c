"""Lists that are short, of unlike elements, computed elsewhere, or seen to cost nothing."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def few(weights, rows):
    return jnp.stack([jnp.tanh(rows[i] @ weights) for i in range(3)])


@jax.jit
def chosen(weights, rows):
    return jnp.stack([jnp.tanh(rows[i] @ weights) for i in range(40) if i % 2])


@jax.jit
def looked_up(rows):
    return jnp.stack([rows[i] for i in range(40)])


@jax.jit
def numbers(rows):
    return rows * jnp.array([2.0**k for k in range(64)])


@jax.jit
def mapped(weights, rows):
    return jax.lax.map(lambda row: jnp.tanh(row @ weights), rows)


@jax.jit
def along_another_axis(weights, rows):
    return jnp.stack([jnp.tanh(rows[i] @ weights) for i in range(64)], axis=1)


def eager(weights, rows):
    return jnp.stack([jnp.tanh(row @ weights) for row in jnp.asarray(rows)])


def on_the_host(rows):
    return np.stack([np.tanh(row) for row in rows])


def main():
    weights, rows = jnp.ones((3, 2)), jax.random.normal(jax.random.key(1), (64, 3))
    for run in (few, chosen, mapped, along_another_axis, eager):
        print(run(weights, rows))
    print(looked_up(rows), numbers(rows), on_the_host(np.ones((3, 3))))


if __name__ == "__main__":
    main()
