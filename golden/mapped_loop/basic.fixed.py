"""Lists of which a trace computes each element by itself."""

import jax
import jax.numpy as jnp


@jax.jit
def scores(weights, rows):
    return jax.lax.map(lambda i: jnp.tanh(rows[i] @ weights), jnp.arange(64))


@jax.jit
def averages(weights, rows: jax.Array):
    return jax.lax.map(lambda row: jnp.mean(jnp.tanh(row @ weights)), rows)


@jax.jit
def sums(weights, rows):
    # one sum for each row
    return jax.lax.map(lambda i: jnp.tanh(rows[i] @ weights).sum(), jnp.arange(1, 40))


def loss(weights, rows):
    keys = jax.random.split(jax.random.key(0), 40)
    drawn = jax.lax.map(lambda i: jax.random.normal(keys[i], (2,)), jnp.arange(40))
    again = jax.lax.map(
        lambda i: jax.random.normal(jax.random.fold_in(keys[0], i), (2,)), jnp.arange(40)
    )
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
    return jax.lax.map(lambda row: score(row, weights), rows[:40])


def main():
    weights, rows = jnp.ones((3, 2)), jax.random.normal(jax.random.key(1), (64, 3))
    for run in (scores, averages, sums, step):
        print(run(weights, rows))


if __name__ == "__main__":
    main()
