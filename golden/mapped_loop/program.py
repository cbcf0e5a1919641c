"""A network that is applied row by row, and its gradient."""

import jax
import jax.numpy as jnp


@jax.jit
def outputs(weights, rows):
    return jnp.stack([jnp.tanh(jnp.tanh(rows[i] @ weights) @ weights) for i in range(64)])  # want: mapped-loop


def loss(weights, rows):
    errors = jnp.stack([jnp.sum(jnp.tanh(rows[i] @ weights) ** 2) for i in range(48)])  # want: mapped-loop
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
