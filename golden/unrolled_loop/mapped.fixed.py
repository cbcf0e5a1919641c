"""Loops that hand nothing from one iteration to the next, and collect what they compute."""

import jax
import jax.numpy as jnp


@jax.jit
def outputs(weights, rows):

    def loop_body(i):
        hidden = jnp.tanh(rows[i] @ weights)  # of one row
        return jnp.tanh(hidden @ weights)

    found = jax.lax.map(loop_body, jnp.arange(64))
    return found


@jax.jit
def both(weights, rows: jax.Array):

    def loop_body(row):
        hidden = jnp.tanh(row @ weights)
        return jnp.sum(hidden), jnp.mean(hidden)

    sums, means = jax.lax.map(loop_body, rows)
    return sums, means


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

    def loop_body(i):
        found_row = energy(rows[i])
        return found_row

    found = jax.lax.map(loop_body, jnp.arange(64))
    return found
