"""Lists of which a trace computes each element by itself."""

import jax
import jax.numpy as jnp


@jax.jit
def scores(weights, rows):
    return jnp.stack([jnp.tanh(rows[i] @ weights) for i in range(64)])  # want: mapped-loop


@jax.jit
def averages(weights, rows: jax.Array):
    return jnp.stack([jnp.mean(jnp.tanh(row @ weights)) for row in rows], axis=0)  # want: mapped-loop


@jax.jit
def sums(weights, rows):
    # one sum for each row
    return jnp.array([jnp.tanh(rows[i] @ weights).sum() for i in range(1, 40)])  # want: mapped-loop


def loss(weights, rows):
    keys = jax.random.split(jax.random.key(0), 40)
    drawn = jnp.stack([jax.random.normal(keys[i], (2,)) for i in range(40)])  # want: mapped-loop
    again = jnp.stack([jax.random.normal(jax.random.fold_in(keys[0], i), (2,)) for i in range(40)])  # want: mapped-loop
    noisy = rows[:40] @ weights + drawn + again
    return jnp.mean(noisy**2)


step = jax.jit(jax.grad(loss))


def score(row, weights):
    best = jnp.tanh(row @ weights)
    if weights.ndim == 2:
        return jnp.sum(best)
    return best**2


@jax.jit
def of_a_function(weights, rows: jax.Array):
    return jnp.stack([score(row, weights) for row in rows[:40]])  # want: mapped-loop


def main():
    weights, rows = jnp.ones((3, 2)), jax.random.normal(jax.random.key(1), (64, 3))
    for run in (scores, averages, sums, step):
        print(run(weights, rows))


if __name__ == "__main__":
    main()
