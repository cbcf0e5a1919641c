"""Parameters that are one array, as what is done with them says, or what each call passes."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def asked(scores, labels):
    accuracy = jnp.mean(jnp.argmax(scores, axis=1) == labels)
    return accuracy, jax.lax.map(lambda row: jnp.sort(row), scores)


def given(rows):
    return jax.lax.map(lambda row: jnp.tanh(row) * 2.0, rows)


compute = jax.jit(given)


def of_a_list(rows):
    return jnp.stack([jnp.tanh(row) * 2.0 for row in rows])


listed = jax.jit(of_a_list)


@jax.jit
def on_the_host(rows):
    total = np.sum(rows)
    return total + jnp.stack([jnp.tanh(row) for row in rows]).sum()


def main():
    rows = np.ones((40, 3), np.float32)
    print(asked(rows, np.ones(40)), compute(rows), compute(jnp.ones((50, 3))))
    print(listed([jnp.ones(3), jnp.ones(3), jnp.ones(3), jnp.ones(3)]), on_the_host)


if __name__ == "__main__":
    main()
