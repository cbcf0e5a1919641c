"""A network that is applied row by row, and its gradient."""

import jax
import jax.numpy as jnp


@jax.jit
def outputs(weights, rows):
    return jax.lax.map(lambda i: jnp.tanh(jnp.tanh(rows[i] @ weights) @ weights), jnp.arange(64))


def loss(weights, rows):
    errors = jax.lax.map(lambda i: jnp.sum(jnp.tanh(rows[i] @ weights) ** 2), jnp.arange(48))
    return jnp.mean(errors)


slope = jax.jit(jax.grad(loss))


def main():
    weights, rows = jnp.eye(3) * 0.5, jax.random.normal(jax.random.key(1), (64, 3))
    for _ in range(4):
        print(outputs(weights, rows).sum())
        weights = weights - 0.1 * slope(weights, rows)
    print(weights)


if __name__ == "__main__":
    main()
