"""Loops that hand nothing from one iteration to the next, and collect what they compute."""

import jax
import jax.numpy as jnp


@jax.jit
def outputs(weights, rows):
    found = []
    for i in range(64):  # want: unrolled-loop
        hidden = jnp.tanh(rows[i] @ weights)  # of one row
        found.append(jnp.tanh(hidden @ weights))
    return jnp.stack(found)


@jax.jit
def both(weights, rows: jax.Array):
    sums = []
    means = []
    for row in rows:  # want: unrolled-loop
        hidden = jnp.tanh(row @ weights)
        sums.append(jnp.sum(hidden))
        means.append(jnp.mean(hidden))
    return jnp.stack(sums), jnp.stack(means)


def main():
    weights, rows = jnp.eye(3) * 0.5, jax.random.normal(jax.random.key(1), (64, 3))
    print(outputs(weights, rows))
    print(both(weights, rows))


if __name__ == "__main__":
    main()


@jax.jit
def energy(x):
    return jnp.sum(x**2)


@jax.jit
def energies(rows):
    found = []
    for i in range(64):  # want: unrolled-loop
        found.append(energy(rows[i]))
    return jnp.stack(found)
